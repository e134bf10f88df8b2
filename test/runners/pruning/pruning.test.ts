// What holds of a prune on either store: tables and history agree at every moment, sums stay, archives can be read.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { LEDGER_STREAM, jobStream } from '../../../domain/ledger.js';
import { sha256Hex } from '../../../adapters/system.js';
import { decodeEvent } from '../../../domain/events.js';
import { promises } from '../../../runners/index.js';
import { pruneHistory } from '../../../runners/pruning/prune-history.js';
import { doubledLedger } from '../../support/eventstore-sites.js';
import {
  column,
  everyHistory,
  stateOf,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { right } from '../../support/outcome.js';
import {
  EVERYTHING,
  fill,
  linesOf,
  pruned,
  rebuilt,
  sumsOf,
  temporaryFolder,
  type Filled,
} from '../../support/pruning.js';
import { drained } from '../../support/runners.js';

const stores: Readonly<Record<string, () => Promise<TestLedger>>> = {
  PostgreSQL: () => testLedger(),
  'EventStoreDB (the protocol double)': () => doubledLedger(),
};

for (const [name, open] of Object.entries(stores)) {
  describe(`a prune on ${name}`, function () {
    this.timeout(240_000);
    const folder = temporaryFolder();
    const isElsewhere = name !== 'PostgreSQL';
    let ledger: TestLedger;
    let filled: Filled;
    let sums: readonly object[];
    let histories: Awaited<ReturnType<typeof everyHistory>>;
    before(async () => {
      ledger = await open();
      filled = await fill(ledger);
      sums = await sumsOf(ledger);
      histories = await everyHistory(ledger);
    });
    after(async () => {
      folder.remove();
      await ledger.drop();
    });

    it('tells how many jobs would go, and changes nothing, where it is only tried', async () => {
      const report = await right(
        pruneHistory(ledger, { before: EVERYTHING, path: undefined, log: () => undefined }),
      );
      expect(report.jobs).to.be.above(filled.succeeded.length);
      expect((await everyHistory(ledger)).size).to.equal(histories.size);
    });

    it('leaves what is too young, and makes no file for nothing', async () => {
      const report = await pruned(ledger, folder.file('none'), { before: '2020-01-01T00:00:00.000Z' });
      expect(report).to.deep.include({ jobs: 0, bytes: 0, hindrance: undefined });
      expect(() => linesOf(folder.file('none'))).to.throw('ENOENT');
    });

    it('takes jobs of one wiki and type, and no more than so many', async () => {
      const report = await pruned(ledger, folder.file('one.ndjson'), {
        wiki: 'dewiki',
        type: 'mail',
        limit: 1,
      });
      expect(report.jobs).to.equal(1);
      expect(await typesOf(ledger, filled.succeeded[1] ?? '')).to.deep.equal([]);
      expect(await unequalTables(ledger)).to.deep.equal([]);
    });

    it('takes every job that has succeeded or was superseded but the newest roots, and none that can be ready again', async () => {
      await right(() => ledger.reaperPorts(() => undefined).keepHouse());
      const { jobs } = await pruned(ledger, folder.file('all.ndjson.gz'), { by: 'ann', reason: 'too old' });
      expect(jobs).to.be.above(filled.succeeded.length - 1);
      const left = await everyHistory(ledger);
      for (const [jobId, history] of histories) {
        const state = await stateOf(ledger, jobId);
        const isRoot = history.some(({ event: { data } }) => 'root' in data && data.root?.isSelf === true);
        if (state._tag === 'Succeeded' || state._tag === 'Superseded') expect(isRoot, jobId).to.equal(true);
        if (state._tag !== 'None') expect(left.get(jobId)?.length).to.equal(history.length);
      }
      for (const jobId of filled.succeeded) expect((await stateOf(ledger, jobId))._tag).to.equal('None');
      expect((await stateOf(ledger, filled.cancelled))._tag).to.equal('Cancelled');
      expect((await stateOf(ledger, filled.abandoned))._tag).to.equal('Abandoned');
      expect((await stateOf(ledger, filled.waiting))._tag).to.equal('Waiting');
    });

    it('leaves every table as its history tells it, the sums as they were, and a rebuild with nothing to mend', async () => {
      expect(await unequalTables(ledger)).to.deep.equal([]);
      expect(await sumsOf(ledger)).to.deep.equal(sums);
      expect(await rebuilt(ledger)).to.deep.equal([]);
      expect(await sumsOf(ledger)).to.deep.equal(sums);
      expect(await unequalTables(ledger)).to.deep.equal([]);
    });

    it('tells in the history who, why, which jobs, to which file, and the digest of its lines', async () => {
      const told = (await right(ledger.store.readStream(LEDGER_STREAM))).at(-1);
      const event = told === undefined ? E.left('none') : decodeEvent(told);
      if (E.isLeft(event) || event.right.type !== 'HistoryPruned') return expect.fail('no HistoryPruned');
      const { data } = event.right;
      expect(told?.metadata.by).to.equal('ann');
      const lines = linesOf(folder.file('all.ndjson.gz')).slice(1, -1);
      expect(data).to.include({ reason: 'too old', file: 'all.ndjson.gz', events: lines.length });
      expect(data.digest).to.equal(sha256Hex(lines.map((line) => `${line}\n`).join('')));
      const streams = new Set(lines.map((line) => (JSON.parse(line) as { readonly stream: string }).stream));
      expect(new Set(data.jobs.map(({ id }) => jobStream(id)))).to.deep.equal(streams);
      expect(data.counters.find(({ type }) => type === 'flaky')?.counts).to.deep.equal({
        enqueued: 1,
        succeeded: 1,
        failed: 1,
        retried: 1,
      });
    });

    it('has every event of its jobs in the archive, as it stood in the history', () => {
      const archived = ['one.ndjson', 'all.ndjson.gz'].flatMap((file) =>
        linesOf(folder.file(file)).slice(1, -1),
      );
      const ids = archived.map((line) => (JSON.parse(line) as { readonly id: string }).id);
      const gone = [...histories].filter(([jobId]) => filled.succeeded.includes(jobId));
      expect(new Set(ids).size).to.equal(ids.length);
      for (const [, history] of gone) expect(ids).to.include.members(history.map(({ id }) => id));
    });

    it('finds nothing more to do when it is asked once more', async () => {
      expect(await pruned(ledger, folder.file('again'))).to.deep.include({ jobs: 0 });
    });

    it('is told by the library to whoever asks for one of its jobs', async () => {
      const [jobId = ''] = filled.succeeded;
      const asked = await promises.openLedger({
        databaseUrl: ledger.url,
        ...('address' in ledger ? (ledger.address as object) : {}),
      });
      const answers = [await asked.job(jobId)(), await asked.history(jobId)(), await asked.retry(jobId)()];
      await asked.close();
      for (const answer of answers) {
        expect(answer).to.have.nested.property('left._tag', 'JobNotFound');
        expect(answer).to.have.nested.property('left.pruned.file', 'all.ndjson.gz');
      }
    });

    it(`lets an id that a producer uses again be ${isElsewhere ? 'that of the job that was' : 'a new job'}`, async () => {
      const [jobId = ''] = filled.succeeded;
      const answer = await ledger.producer.enqueue({ type: 'mail', jobId });
      expect(answer).to.have.nested.property('right.outcome', isElsewhere ? 'already-enqueued' : 'enqueued');
      await drained(ledger, [{ type: 'mail', run: () => undefined }]);
      await pruned(ledger, folder.file('reused'));
      expect((await stateOf(ledger, jobId))._tag).to.equal('None');
      expect(await unequalTables(ledger)).to.deep.equal([]);
      expect(await rebuilt(ledger)).to.deep.equal([]);
    });

    it('enqueues no child anew that was pruned before its parent was looked at again', async () => {
      await column(ledger, `UPDATE __schema__.checkpoint SET position = 0 WHERE projection = 'spawned'`);
      const jobs = (await everyHistory(ledger)).size;
      await ledger.reaperPorts(() => undefined).catchUpClaims();
      expect((await everyHistory(ledger)).size).to.equal(jobs);
    });
  });
}
