// A prune that is killed, really, between any two of its steps: tables and history agree all the same, and the next one completes it.
import { expect } from 'chai';
import { pruneHistory } from '../../../runners/pruning/prune-history.js';
import { doubledLedger, type DoubledLedger } from '../../support/eventstore-sites.js';
import { urlFor, untilGone } from '../../support/killed-runners.js';
import {
  column,
  everyHistory,
  stateOf,
  testLedger,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { right } from '../../support/outcome.js';
import {
  EVERYTHING,
  fill,
  linesOf,
  pruned,
  pruningProcess,
  rebuilt,
  sumsOf,
  temporaryFolder,
  type DyingPrune,
} from '../../support/pruning.js';
import { until } from '../../support/waiting.js';

const LIMIT = 3;

const agree = async (ledger: TestLedger, sums: readonly object[], when: string): Promise<void> => {
  expect(await unequalTables(ledger), when).to.deep.equal([]);
  expect(await sumsOf(ledger), when).to.deep.equal(sums);
};

const jobsIn = (path: string): readonly string[] => {
  const streams = linesOf(path)
    .slice(1, -1)
    .map((line) => (JSON.parse(line) as { readonly stream: string }).stream);
  return [...new Set(streams)].map((stream) => stream.slice(4));
};

describe('a prune on PostgreSQL that is killed', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let ledger: TestLedger;
  let sums: readonly object[];
  before(async () => {
    ledger = await testLedger();
    await fill(ledger, 60);
    sums = await sumsOf(ledger);
  });
  after(async () => {
    folder.remove();
    await ledger.drop();
  });

  const killed = async (dies: DyingPrune['dies'], path: string) => {
    const databaseUrl = urlFor(ledger, `pruner ${dies}`);
    const { ended } = pruningProcess({
      databaseUrl,
      path,
      limit: LIMIT,
      ...(dies === undefined ? {} : { dies }),
    });
    expect(await ended).to.equal('SIGKILL');
    await untilGone(ledger, `pruner ${dies}`);
  };

  it('behind the archive has changed nothing, and has left a whole file', async () => {
    const before = (await everyHistory(ledger)).size;
    await killed('archived', folder.file('archived'));
    expect((await everyHistory(ledger)).size).to.equal(before);
    expect(jobsIn(folder.file('archived'))).to.have.length(LIMIT);
    expect(JSON.parse(linesOf(folder.file('archived')).at(-1) ?? '')).to.have.keys('events');
    await agree(ledger, sums, 'archived');
  });

  it('in its transaction has changed nothing', async () => {
    const before = (await everyHistory(ledger)).size;
    const client = await ledger.pool.connect();
    await client.query('BEGIN');
    await client.query(`SELECT FROM jobledger.checkpoint WHERE projection = 'queue_summary' FOR UPDATE`);
    const databaseUrl = urlFor(ledger, 'pruner that waits');
    const { child, ended } = pruningProcess({ databaseUrl, path: folder.file('waiting'), limit: LIMIT });
    await until('the prune waits for a checkpoint', async () => {
      const [count] = await column(
        ledger,
        `SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'pruner that waits' AND wait_event_type = 'Lock'`,
      );
      return count === '1';
    });
    child.kill('SIGKILL');
    await ended;
    await client.query('ROLLBACK');
    client.release();
    await untilGone(ledger, 'pruner that waits');
    expect((await everyHistory(ledger)).size).to.equal(before);
    await agree(ledger, sums, 'in its transaction');
  });

  it('behind its transaction has done all of it', async () => {
    await killed('taken', folder.file('taken'));
    for (const job of jobsIn(folder.file('taken')))
      expect((await stateOf(ledger, job))._tag).to.equal('None');
    await agree(ledger, sums, 'taken');
    expect(await rebuilt(ledger)).to.deep.equal([]);
  });

  it('does not keep the next from pruning', async () => {
    expect((await pruned(ledger, folder.file('next'))).jobs).to.be.above(0);
    await agree(ledger, sums, 'the next');
    expect(await rebuilt(ledger)).to.deep.equal([]);
  });
});

describe('a prune on EventStoreDB (the protocol double) that is killed', function () {
  this.timeout(480_000);
  const folder = temporaryFolder();
  let ledger: DoubledLedger;
  let sums: readonly object[];
  before(async () => {
    ledger = await doubledLedger();
    await fill(ledger, 300);
    sums = await sumsOf(ledger);
  });
  after(async () => {
    folder.remove();
    await ledger.drop();
  });

  /** Until its event is appended, the counts lack what the batch had counted: as the history does. */
  const agreeAndRebuild = async (when: string, isTold: boolean): Promise<void> => {
    const counts = isTold ? sums : await sumsOf(ledger);
    await agree(ledger, counts, when);
    expect(await rebuilt(ledger), when).to.deep.equal([]);
    await agree(ledger, counts, `${when}, rebuilt`);
  };

  const half = (): bigint => ledger.double.log.records[ledger.double.log.records.length >> 1]?.position ?? 0n;

  const outbox = async (): Promise<number> =>
    Number((await column(ledger, 'SELECT count(*)::text FROM __schema__.prune_outbox'))[0]);

  for (const [dies, when, isLeft] of [
    ['archived', 'behind the archive', 0],
    ['taken', 'behind the tables', 1],
    ['aimed', 'before its event', 1],
    ['told', 'behind its event', 1],
    ['half deleted', 'between two deletions', 1],
    ['deleted', 'behind the deletions', 1],
    ['done', 'at its end', 0],
  ] as const) {
    it(`${when} leaves tables and history in agreement, before, in and after a scavenge, and is completed by the next`, async () => {
      const path = folder.file(dies);
      const databaseUrl = urlFor(ledger, `pruner ${dies}`);
      const { ended } = pruningProcess({ databaseUrl, ...ledger.address, path, limit: LIMIT, dies });
      expect(await ended).to.equal('SIGKILL');
      await untilGone(ledger, `pruner ${dies}`);
      expect(await outbox()).to.equal(isLeft);
      const isTold = dies !== 'taken' && dies !== 'aimed';
      await agreeAndRebuild(`killed ${when}`, isTold);
      ledger.double.log.scavenge(half());
      expect(await unequalTables(ledger), `killed ${when}, in a scavenge`).to.deep.equal([]);
      await right(pruneHistory(ledger, { before: EVERYTHING, path: undefined, log: () => undefined }));
      expect(await outbox(), 'only tried').to.equal(isLeft);
      const lines: string[] = [];
      await pruned(ledger, folder.file(`${dies}-next`), { limit: 1, log: (line) => void lines.push(line) });
      expect(lines).to.have.length(isLeft);
      if (isLeft === 1) {
        expect(lines[0]).to.match(/^a prune was broken off: .+ 3 jobs of .+ is done now$/);
        for (const job of jobsIn(path)) expect((await stateOf(ledger, job))._tag).to.equal('None');
      }
      expect(await outbox()).to.equal(0);
      await agree(ledger, sums, `completed ${when}`);
      ledger.double.log.scavenge();
      await agree(ledger, sums, `completed ${when}, scavenged`);
    });
  }

  it('behind its event is completed on a server that does not know that event again', async () => {
    const { ended } = pruningProcess({
      databaseUrl: urlFor(ledger, 'pruner forgotten'),
      ...ledger.address,
      path: folder.file('forgotten'),
      limit: LIMIT,
      dies: 'told',
    });
    expect(await ended).to.equal('SIGKILL');
    await untilGone(ledger, 'pruner forgotten');
    ledger.double.faults.forgetful = true;
    await pruned(ledger, folder.file('forgotten-next'), { limit: 1 });
    expect(await outbox()).to.equal(0);
    await agree(ledger, sums, 'completed where its event was forgotten');
  });

  it('has told of each batch once', async () => {
    const told = ledger.double.log.records.filter(({ type }) => type === 'HistoryPruned').map(({ id }) => id);
    expect(new Set(told).size).to.equal(told.length);
    const [rows] = await column(ledger, 'SELECT count(*)::text FROM __schema__.pruned_job');
    const jobs = ledger.double.log.records
      .filter(({ type }) => type === 'HistoryPruned')
      .flatMap(({ data }) => (JSON.parse(Buffer.from(data).toString()) as { jobs: { id: string }[] }).jobs);
    expect(new Set(jobs.map(({ id }) => id)).size).to.equal(jobs.length);
    expect(Number(rows)).to.equal(jobs.length);
  });
});
