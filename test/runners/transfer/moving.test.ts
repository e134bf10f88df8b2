// A ledger carried from PostgreSQL to EventStoreDB and back, by the commands.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { outcomesOf } from '../../contract/appending.js';
import { eventStoreSites, type SiteServer } from '../../support/eventstore-sites.js';
import { enqueued, testLedger, type TestLedger } from '../../support/ledger.js';
import { randomAppends } from '../../support/random-appends.js';
import { newLedgerName } from '../../support/real-eventstore.js';
import { drained } from '../../support/runners.js';
import { commandLine, type Said } from '../cli/command-line.js';

interface Line {
  readonly stream: string;
  readonly revision: string;
}

const RANDOM_APPENDS = 400;

const linesOf = (path: string): readonly string[] => {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').trimEnd().split('\n');
};

/** Everything but the order across streams, which batches may change. */
const streamByStream = (path: string): readonly string[] => {
  const events = linesOf(path).slice(1, -1);
  const placed = events.map((text) => ({ text, ...(JSON.parse(text) as Line) }));
  return placed
    .toSorted((a, b) =>
      a.stream === b.stream ? Number(a.revision) - Number(b.revision) : a.stream < b.stream ? -1 : 1,
    )
    .map(({ text }) => text);
};

for (const site of eventStoreSites) {
  describe(`export and restore, with ${site.where}`, function () {
    this.timeout(240_000);
    let ledger: TestLedger;
    let server: SiteServer;
    // Of one server that several use: the names of this run's ledgers begin with what nobody else's do.
    const run = newLedgerName();
    let folder: string;
    before(async () => {
      ledger = await testLedger('origin');
      server = await site.server();
      folder = mkdtempSync(join(tmpdir(), 'jobledger-moving-'));
      const random = randomAppends(7);
      for (let n = 0; n < RANDOM_APPENDS; n += 1) await outcomesOf(ledger.store, random.next());
      await enqueued(ledger, { type: 'parent', params: { '1': 'ü', z: '\u2028"\\' } }, { type: 'failing' });
      await drained(ledger, [
        { type: 'parent', run: (_, { spawn }) => spawn({ type: 'child' }) },
        { type: 'failing', retry: false, run: () => false },
      ]);
      await on('origin')('pause', '--type', 'child', '--reason', 'it moves');
    });
    after(async () => {
      rmSync(folder, { recursive: true });
      server.close();
      await ledger.drop();
    });

    const on = (schema: string, elsewhere?: string): ((...args: readonly string[]) => Promise<Said>) =>
      commandLine({
        JOBLEDGER_DATABASE_URL: ledger.url,
        JOBLEDGER_SCHEMA: schema,
        ...(elsewhere === undefined
          ? {}
          : { JOBLEDGER_EVENTSTORE_URL: server.url, JOBLEDGER_LEDGER: run + elsewhere }),
      });
    const file = (name: string): string => join(folder, name);
    const counts = (said: Said): unknown => JSON.parse(said.stdout);
    const exported = async (schema: string, name: string, elsewhere?: string): Promise<string> => {
      const said = await on(schema, elsewhere)('export', file(name));
      expect(said).to.deep.include({ status: 0, stderr: '' });
      return file(name);
    };
    const isEqual = async (schema: string, elsewhere?: string): Promise<void> => {
      const said = await on(schema, elsewhere)('audit', '--json');
      expect(said.status, said.stderr).to.equal(0);
    };

    it('carry a ledger to EventStoreDB and back: the same streams, and every table equals its history', async () => {
      const there = await exported('origin', 'there.ndjson.gz');
      const events = linesOf(there).length - 2;
      const restored = await on('moved', 'moved')('restore', there, '--json');
      expect(restored.status, restored.stderr).to.equal(0);
      expect(counts(restored)).to.deep.include({
        restored: events,
        alreadyThere: 0,
        refused: 0,
        isWhole: true,
      });

      const back = await exported('moved', 'back.ndjson', 'moved');
      expect(streamByStream(back)).to.deep.equal(streamByStream(there));
      expect((await on('returned')('restore', back)).status).to.equal(0);
      expect(streamByStream(await exported('returned', 'again.ndjson'))).to.deep.equal(streamByStream(there));
      await isEqual('origin');
      await isEqual('moved', 'moved');
      await isEqual('returned');
      const queues = await on('origin')('queues', '--json');
      for (const said of [
        await on('moved', 'moved')('queues', '--json'),
        await on('returned')('queues', '--json'),
      ]) {
        expect(withoutAges(said)).to.deep.equal(withoutAges(queues));
      }
    });

    it('keep as brief what was kept so', async () => {
      const briefIn = async (schema: string): Promise<string | undefined> => {
        const sql = `SELECT count(*)::text AS n FROM ${schema}.event WHERE metadata->>'brief' IS NOT NULL`;
        return (await ledger.pool.query<{ n: string }>(sql)).rows[0]?.n;
      };
      expect(Number(await briefIn('origin'))).to.be.above(0);
      expect(await briefIn('returned')).to.equal(await briefIn('origin'));
    });

    it('add nothing when it is done once more, on either store', async () => {
      const events = linesOf(file('there.ndjson.gz')).length - 2;
      for (const to of [on('moved', 'moved'), on('returned')]) {
        const said = await to('restore', file('there.ndjson.gz'), '--json');
        expect(counts(said)).to.deep.include({ restored: 0, alreadyThere: events });
      }
    });

    it('add what has come since, to streams that had begun as well', async () => {
      await enqueued(ledger, { type: 'late' });
      await on('origin')('resume', 'child');
      await drained(ledger, [{ type: '*', run: () => undefined }]);
      const later = await exported('origin', 'later.ndjson');
      for (const [schema, elsewhere] of [['returned'], ['moved', 'moved']] as const) {
        expect((await on(schema, elsewhere)('restore', later)).status).to.equal(0);
        const after = await exported(schema, `${schema}-later.ndjson`, elsewhere);
        expect(streamByStream(after)).to.deep.equal(streamByStream(later));
        await isEqual(schema, elsewhere);
      }
    });

    it('go on with job numbers behind those that were carried over', async () => {
      const highest = Math.max(
        ...linesOf(file('later.ndjson')).flatMap((line) => {
          const number = /"number":"(\d+)"/.exec(line)?.[1];
          return number === undefined ? [] : [Number(number)];
        }),
      );
      const said = await on('returned')('enqueue', 'next', '--json');
      const { jobId } = JSON.parse(said.stdout) as { jobId: string };
      const job = JSON.parse((await on('returned')('job', jobId, '--json')).stdout) as { job_id: string };
      expect(Number(job.job_id)).to.be.above(highest);
    });

    it('carry pauses, and explain tells of one that was written to EventStoreDB a moment before', async () => {
      expect((await on('moved', 'moved')('configure')).stdout).to.match(
        /^child on every wiki .*: it moves$/m,
      );
      const { jobId } = JSON.parse((await on('moved', 'moved')('enqueue', 'held', '--json')).stdout) as {
        jobId: string;
      };
      await on('moved', 'moved')('pause', '--type', 'held', '--reason', 'replicas behind', '--by', 'ann');
      expect((await on('moved', 'moved')('explain', jobId)).stdout).to.match(
        /its type \(held on every wiki\) is paused, by ann since .*: replicas behind/,
      );
    });

    it('refuse a ledger that has a history of its own, and one that has gone another way', async () => {
      await on('other')('enqueue', 'own');
      const other = await on('other')('restore', file('there.ndjson.gz'));
      expect(other.status).to.equal(1);
      expect(other.stderr).to.match(/history of its own/);

      const lines = linesOf(file('later.ndjson'));
      const last = lines.findLastIndex((line) => line.includes('"AttemptSucceeded"'));
      const changed = (lines[last] ?? '').replace(/"id":"[0-9a-f]{8}/, '"id":"00000000');
      writeFileSync(file('changed.ndjson'), `${lines.with(last, changed).join('\n')}\n`);
      const parted = await on('returned')('restore', file('changed.ndjson'));
      expect(parted.status).to.equal(1);
      expect(parted.stderr).to.match(new RegExp(`line ${last + 1}: .* different ways`));
    });

    for (const elsewhere of [undefined, 'parted'] as const) {
      const where = elsewhere === undefined ? 'PostgreSQL' : 'EventStoreDB';
      it(`refuse a job whose number another job has on ${where}, and leave every table as it was`, async () => {
        const [from, to] = [`from_${where.toLowerCase()}`, `to_${where.toLowerCase()}`];
        await on(from)('enqueue', 'a');
        const first = await exported(from, `${from}-1.ndjson`);
        expect((await on(to, elsewhere)('restore', first)).status).to.equal(0);
        await on(to, elsewhere)('enqueue', 'b');
        await on(from)('enqueue', 'c');
        const before = await exported(to, `${to}-before.ndjson`, elsewhere);

        const said = await on(to, elsewhere)('restore', await exported(from, `${from}-2.ndjson`));
        expect(said.status).to.equal(1);
        expect(said.stderr).to.match(
          /line 3: the job_id 2 of job \S+ is that of job \S+ in .* different ways/,
        );
        const after = await exported(to, `${to}-after.ndjson`, elsewhere);
        expect(linesOf(after)).to.deep.equal(linesOf(before));
        await isEqual(to, elsewhere);
      });
    }

    it('name bad lines and what cannot follow them, and take the rest', async () => {
      const lines = linesOf(file('there.ndjson.gz'));
      const revisionOf = (line: string) => (JSON.parse(line) as Partial<Line>).revision;
      const second = lines.findIndex((line, n) => n > 1 && revisionOf(line) === '1');
      const { stream } = JSON.parse(lines[second] ?? '') as Line;
      const ofStream = lines.slice(1).filter((line) => line.includes(`"stream":"${stream}"`)).length;
      writeFileSync(file('bad.ndjson'), `${lines.with(second, '{"stream":7}').join('\n')}\n`);
      const said = await on('bad')('restore', file('bad.ndjson'), '--json');
      expect(said.status).to.equal(2);
      expect(said.stderr).to.match(new RegExp(`^line ${second + 1}: stream is 7, expected string$`, 'm'));
      expect(counts(said)).to.deep.include({
        restored: lines.length - 2 - (ofStream - 1),
        refused: ofStream - 1,
        isWhole: true,
      });
      await isEqual('bad');
    });

    it('say of a file that has a line twice how many there are, and how many there should be', async () => {
      const lines = linesOf(file('there.ndjson.gz'));
      writeFileSync(file('twice.ndjson'), `${lines.toSpliced(2, 0, lines[1] ?? '').join('\n')}\n`);
      const said = await on('twice')('restore', file('twice.ndjson'));
      expect(said.status).to.equal(2);
      const written = lines.length - 2;
      expect(said.stderr).to.include(
        `by its last line it has ${written} events, and there are ${written + 1}`,
      );
      await isEqual('twice');
    });

    it('take a file that was cut short as far as it goes, and the whole one later', async () => {
      const bytes = readFileSync(file('there.ndjson.gz'));
      writeFileSync(file('cut.ndjson.gz'), bytes.subarray(0, bytes.length >> 1));
      const cut = await on('cut', 'cut')('restore', file('cut.ndjson.gz'), '--json');
      expect(cut.status).to.equal(2);
      expect(cut.stderr).to.match(/cut\.ndjson\.gz is not whole/);
      const whole = await on('cut', 'cut')('restore', file('there.ndjson.gz'));
      expect(whole.status, whole.stderr).to.equal(0);
      const after = await exported('cut', 'after-cut.ndjson', 'cut');
      expect(streamByStream(after)).to.deep.equal(streamByStream(file('there.ndjson.gz')));
    });

    it('say what is the matter with a file that is none of theirs, is there already, or has no folder', async () => {
      writeFileSync(file('none.ndjson'), 'hello\n');
      const none = await on('empty')('restore', file('none.ndjson'));
      expect(none).to.deep.include({ status: 2 });
      expect(none.stderr).to.match(/not the file of a ledger: its first line is not JSON/);
      expect((await on('empty')('restore', file('missing'))).stderr).to.match(/there is no such file/);
      expect((await on('origin')('export', file('none.ndjson'))).stderr).to.match(/is there already/);
      expect(await on('origin')('export', file('nowhere/x'))).to.deep.equal({
        status: 2,
        stdout: '',
        stderr: `jobledger: ${file('nowhere/x')} cannot be written: the folder ${file('nowhere')} does not exist\n`,
      });
      expect((await on('origin')('export', file('none.ndjson/x'))).stderr).to.match(
        /none\.ndjson is not a folder/,
      );
    });
  });
}

const withoutAges = ({ stdout }: Said): unknown =>
  (JSON.parse(stdout) as object[]).map((queue) => ({ ...queue, lagSeconds: undefined }));
