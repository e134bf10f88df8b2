// `jobledger prune` as a person uses it: what it says, what it refuses, and what becomes of its archive.
import { writeFileSync, existsSync } from 'node:fs';
import { expect } from 'chai';
import { whileNobodyPrunes, whilePruning } from '../../../adapters/postgres/pruning/turn.js';
import { jobStream } from '../../../domain/ledger.js';
import { doubledLedger, type DoubledLedger } from '../../support/eventstore-sites.js';
import { column, enqueued, historyOf, testLedger, typesOf, type TestLedger } from '../../support/ledger.js';
import { right } from '../../support/outcome.js';
import { fill, linesOf, sumsOf, temporaryFolder, type Filled } from '../../support/pruning.js';
import { drained } from '../../support/runners.js';
import { commandLine, jsonLines, type Said } from '../cli/command-line.js';

const NOW = ['--before', '2999-01-01T00:00:00Z'] as const;

describe('the command prune', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let ledger: TestLedger;
  let filled: Filled;
  before(async () => {
    ledger = await testLedger();
    filled = await fill(ledger, 100);
  });
  after(async () => {
    folder.remove();
    await ledger.drop();
  });

  const on = (schema = 'jobledger'): ((...args: readonly string[]) => Promise<Said>) =>
    commandLine({ JOBLEDGER_DATABASE_URL: ledger.url, JOBLEDGER_SCHEMA: schema });
  const onDouble = ({ url, address }: DoubledLedger) =>
    commandLine({
      JOBLEDGER_DATABASE_URL: url,
      JOBLEDGER_EVENTSTORE_URL: address.eventstoreUrl,
      JOBLEDGER_LEDGER: address.ledger,
    });
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await on()('prune', ...args);
    expect(stdout).to.equal('');
    expect(status, stderr).to.equal(2);
    return stderr;
  };

  for (const wrong of ['30', '0d', '-1d', '1.5h', '30 d', '30days', '9999999999d', '999999999w', '']) {
    it(`refuses the age ${JSON.stringify(wrong)}`, async () => {
      expect(await refusal('--older-than', wrong, '--to', folder.file('x'))).to.match(/--older-than/);
    });
  }

  it('wants to know how old and where to, and each of it once', async () => {
    expect(await refusal('--to', folder.file('x'))).to.match(/either by --older-than 30d or by --before/);
    expect(await refusal('--older-than', '30d', ...NOW, '--to', folder.file('x'))).to.match(/not by both/);
    expect(await refusal('--older-than', '30d')).to.match(/--to FILE/);
    expect(await refusal('--before', 'yesterday', '--to', folder.file('x'))).to.match(/ISO 8601/);
  });

  it('refuses a file that is there, and a folder that is not', async () => {
    writeFileSync(folder.file('there'), 'precious');
    expect(await refusal(...NOW, '--to', folder.file('there'))).to.match(/is there already/);
    expect(linesOf(folder.file('there'))).to.deep.equal(['precious']);
    expect(await refusal(...NOW, '--to', folder.file('.'))).to.match(/is a folder/);
    expect(await refusal(...NOW, '--to', folder.file('nowhere/x'))).to.match(/does not exist/);
  });

  it('is refused while another prune or an export is under way, and an export while a prune is', async () => {
    const { pool, schema } = ledger;
    for (const held of [whilePruning, whileNobodyPrunes]) {
      const said = await right(
        held(pool, schema, () => on()('prune', ...NOW, '--to', folder.file('second'))),
      );
      expect(said.status).to.equal(3);
      expect(said.stderr).to.match(/another prune or an export is under way/);
    }
    const exported = await right(whilePruning(pool, schema, () => on()('export', folder.file('export'))));
    expect(exported.stderr).to.match(/a prune is under way/);
    expect(existsSync(folder.file('second'))).to.equal(false);
    expect(existsSync(folder.file('export'))).to.equal(false);
  });

  const hindered = async (why: RegExp): Promise<void> => {
    const said = await on()('prune', ...NOW, '--to', folder.file('hindered'));
    expect(said.status).to.equal(1);
    expect(said.stderr).to.match(why);
    expect(said.stdout).to.equal('');
    expect(existsSync(folder.file('hindered'))).to.equal(false);
    expect(await typesOf(ledger, filled.succeeded[0] ?? '')).to.not.deep.equal([]);
  };

  it('prunes nothing, and leaves no file, while a table is behind', async () => {
    await column(
      ledger,
      `INSERT INTO __schema__.checkpoint (projection, position, version) VALUES ('of_a_newer_version', 1, 1)`,
    );
    await hindered(/nothing was pruned: the table of_a_newer_version is behind: it stands at position 1/);
    await column(ledger, `DELETE FROM __schema__.checkpoint WHERE projection = 'of_a_newer_version'`);
  });

  it('prunes nothing while a rebuild is under way or was broken off', async () => {
    await column(ledger, 'CREATE SCHEMA IF NOT EXISTS jobledger_rebuild');
    await column(ledger, 'CREATE TABLE jobledger_rebuild.job (LIKE __schema__.job)');
    await hindered(/a rebuild of job is under way or was broken off/);
    await column(ledger, 'DROP TABLE jobledger_rebuild.job');
  });

  it('says how many jobs would go, and how many have gone and where', async () => {
    const tried = await on()('prune', ...NOW, '--dry-run');
    const [, count] = /^(\d+) finished jobs \(\d+ events\) would be pruned\n$/.exec(tried.stdout) ?? [];
    const said = await on()('prune', ...NOW, '--to', folder.file('archive.ndjson.gz'));
    expect(said, said.stderr).to.include({ status: 0, stderr: '' });
    expect(said.stdout).to.match(
      new RegExp(`^${count} finished jobs \\(\\d+ events\\) pruned to .+archive\\.ndjson\\.gz, \\d+ bytes`),
    );
    const again = await on()('prune', ...NOW, '--to', folder.file('again'), '--json');
    expect(jsonLines(again.stdout)).to.deep.equal([
      { file: null, dryRun: false, jobs: 0, events: 0, bytes: 0, batches: 0, longestMs: 0 },
    ]);
  });

  it('is named, with the file, by whoever is asked for a job of its', async () => {
    const [jobId = ''] = filled.succeeded;
    const first = linesOf(folder.file('archive.ndjson.gz')).find(
      (line) => line.includes(jobId) && line.includes('JobEnqueued'),
    );
    const number = /"number":"(\d+)"/.exec(first ?? '')?.[1] ?? '';
    for (const args of [['job'], ['history'], ['explain'], ['cancel'], ['retry']]) {
      for (const id of [jobId, number]) {
        const said = await on()(...args, id);
        expect(said.status).to.equal(1);
        expect(said.stderr).to.match(
          new RegExp(
            `^jobledger: job ${id} was pruned at \\d{4}-.+: its history is in the archive archive\\.ndjson\\.gz\n$`,
          ),
        );
      }
    }
    expect((await on()('job', '99999999')).stderr).to.match(/there is no job 99999999/);
  });

  it('leaves an archive that restores into another ledger, every history as it was, and its tables with it', async () => {
    const { status, stderr } = await on('archived')('restore', folder.file('archive.ndjson.gz'));
    expect(status, stderr).to.equal(0);
    expect((await on('archived')('audit')).status).to.equal(0);
    await on('archived')('export', folder.file('again.ndjson'));
    const sorted = (name: string) => linesOf(folder.file(name)).slice(1, -1).toSorted();
    expect(sorted('again.ndjson')).to.deep.equal(sorted('archive.ndjson.gz'));
    expect((await on('archived')('explain', filled.succeeded[0] ?? '')).stdout).to.match(/It is done/);
  });

  it('leaves a ledger that is exported and restored with the same sums, and tells there of its jobs too', async () => {
    const sums = await sumsOf(ledger);
    await on()('export', folder.file('rest.ndjson'));
    const { status, stderr } = await on('rest')('restore', folder.file('rest.ndjson'));
    expect(status, stderr).to.equal(0);
    expect((await on('rest')('audit')).status).to.equal(0);
    const shown = (said: Said) =>
      (JSON.parse(said.stdout) as object[]).map((queue) => ({ ...queue, lagSeconds: 0, oldestReadyAt: '' }));
    expect(shown(await on('rest')('queues', '--json'))).to.deep.equal(shown(await on()('queues', '--json')));
    expect(sums.length).to.be.above(0);
    expect((await on('rest')('job', filled.succeeded[0] ?? '')).stderr).to.match(/was pruned at/);
    expect((await on('rest')('restore', folder.file('rest.ndjson'))).status).to.equal(0);
  });

  it('carries over to an EventStoreDB (the protocol double) with the same sums', async () => {
    const doubled = await doubledLedger();
    const there = onDouble(doubled);
    const { status, stderr } = await there('restore', folder.file('rest.ndjson'));
    expect(status, stderr).to.equal(0);
    expect((await there('audit')).status).to.equal(0);
    expect(await sumsOf(doubled)).to.deep.equal(await sumsOf(ledger));
    expect((await there('history', filled.succeeded[0] ?? '')).stderr).to.match(/was pruned at/);
    await doubled.drop();
  });

  it('is not restored over jobs that it has taken elsewhere: they would count twice', async () => {
    const [jobId = ''] = await enqueued(ledger, { type: 'mail' });
    await on()('export', folder.file('before.ndjson'));
    expect((await on('copy')('restore', folder.file('before.ndjson'))).status).to.equal(0);
    await drained(ledger, [{ type: 'mail', run: () => undefined }]);
    expect((await historyOf(ledger, jobId)).length).to.equal(4);
    await on()('prune', ...NOW, '--type', 'mail', '--to', folder.file('mail.ndjson'));
    await on()('export', folder.file('behind.ndjson'));
    const said = await on('copy')('restore', folder.file('behind.ndjson'));
    expect(said.status).to.equal(1);
    expect(said.stderr).to.contain(`${jobStream(jobId)} was pruned where this file comes from`);
    expect((await on('copy')('audit')).status).to.equal(0);
  });

  const undone = async (
    command: (...args: readonly string[]) => Promise<Said>,
    there: TestLedger,
    name: string,
  ): Promise<void> => {
    const [jobId = ''] = await enqueued(there, { type: 'undone' });
    await drained(there, [{ type: 'undone', run: () => undefined }]);
    const [before, archive] = [folder.file(`${name}-before.ndjson`), folder.file(`${name}-archive.ndjson`)];
    expect((await command('export', before)).status).to.equal(0);
    expect((await command('prune', ...NOW, '--type', 'undone', '--to', archive)).status).to.equal(0);
    const sums = await sumsOf(there);
    const again = await command('restore', before);
    expect(again.status, again.stderr).to.equal(0);
    expect(again.stdout).to.match(
      / 0 events restored; \d+ were there already; 4 are of jobs that this ledger has pruned/,
    );
    expect((await command('restore', archive)).status).to.equal(1);
    expect(await sumsOf(there)).to.deep.equal(sums);
    expect((await command('job', jobId)).stderr).to.match(/was pruned at/);
    expect((await command('audit')).status).to.equal(0);
  };

  it('is not undone by a file that was exported before it: what its jobs counted is counted once', () =>
    undone(on(), ledger, 'here'));

  it('is not undone on an EventStoreDB (the protocol double) either, nor by its own archive', async () => {
    const doubled = await doubledLedger();
    const there = onDouble(doubled);
    await enqueued(doubled, { type: 'waits' });
    await undone(there, doubled, 'there');
    await doubled.drop();
  });

  it('lets an id that was used again be restored with the job that it is now', async () => {
    const jobId = '01990000-0000-7000-8000-00000000a9a1';
    const once = async (): Promise<void> => {
      await enqueued(ledger, { type: 'again', jobId });
      await drained(ledger, [{ type: 'again', run: () => undefined }]);
    };
    await once();
    await on()('prune', ...NOW, '--type', 'again', '--to', folder.file('again-1.ndjson'));
    await once();
    await on()('export', folder.file('used-again.ndjson'));
    const copied = await on('used')('restore', folder.file('used-again.ndjson'));
    expect(copied.status, copied.stderr).to.equal(0);
    expect(copied.stdout).to.not.match(/left out/);
    expect((await on('used')('history', jobId)).status).to.equal(0);
    await on()('prune', ...NOW, '--type', 'again', '--to', folder.file('again-2.ndjson'));
    expect((await on()('restore', folder.file('used-again.ndjson'))).stdout).to.match(/4 are of jobs that/);
    expect((await on()('audit')).status).to.equal(0);
  });
});
