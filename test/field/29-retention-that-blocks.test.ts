// Field case 29: archiving deadlocked with itself from several nodes, and one large deletion froze everything.
import { expect } from 'chai';
import { testLedger, column, enqueued, unequalTables, type TestLedger } from '../support/ledger.js';
import { urlFor } from '../support/killed-runners.js';
import { pruningProcess, sumsOf, temporaryFolder } from '../support/pruning.js';
import { drained, working } from '../support/runners.js';
import { until } from '../support/waiting.js';

const FINISHED = 3_000;
const PRUNERS = [1, 2, 3];
const BATCH = 500;
const EVERYTHING = 2 ** 40;
/** Twenty times what a batch takes on a machine that does nothing else. */
const LONGEST_MS = 2_600;

interface Ended {
  readonly right?: {
    readonly jobs: number;
    readonly batches: number;
    readonly longestMs: number;
    readonly hindrance?: string;
  };
  readonly left?: { readonly message: string };
}

const percentile = (times: readonly number[], share: number): number =>
  Math.round(times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? 0);

describe('field case 29: retention that blocks', function () {
  this.timeout(600_000);
  const folder = temporaryFolder();
  let ledger: TestLedger;
  before(async () => {
    ledger = await testLedger();
    for (let n = 0; n < FINISHED; n += BATCH)
      await enqueued(ledger, ...Array.from({ length: BATCH }, () => ({ type: 'old', params: { n } })));
    await drained(ledger, [{ type: 'old', run: () => undefined }], { concurrency: 50 });
  });
  after(async () => {
    folder.remove();
    await ledger.drop();
  });

  /** From the enqueue to the handler's call, in milliseconds, one after the other until it is enough. */
  const trips = async (begun: Map<string, number>, isEnough: () => boolean): Promise<readonly number[]> => {
    const times: number[] = [];
    while (!isEnough()) {
      const asked = performance.now();
      const [jobId = ''] = await enqueued(ledger, { type: 'new' });
      times.push((await until('it has begun', () => begun.get(jobId))) - asked);
    }
    return times;
  };

  it('prunes from three nodes at once, while jobs are enqueued and worked: one prunes, nobody waits, nothing deadlocks', async () => {
    const begun = new Map<string, number>();
    const runner = working(ledger, [{ type: 'new', run: ({ id }) => void begun.set(id, performance.now()) }]);
    let rest = 40;
    const alone = await trips(begun, () => (rest -= 1) < 0);

    const pruners = PRUNERS.map((n) =>
      pruningProcess({
        databaseUrl: urlFor(ledger, `pruner ${n}`),
        path: folder.file(`${n}`),
        limit: EVERYTHING,
      }),
    );
    let isEnded = false;
    const ended = Promise.all(pruners.map((each) => each.ended)).then((codes) => {
      isEnded = true;
      return codes;
    });
    const waits: string[] = [];
    const watching = until(
      'all have ended',
      async () => {
        const found = await column(
          ledger,
          `SELECT query FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query !~ 'checkpoint'
            AND application_name NOT LIKE 'pruner%'`,
        );
        waits.push(...found.map(String));
        return isEnded;
      },
      500_000,
    );
    const beside = await trips(begun, () => isEnded);
    expect(await ended).to.deep.equal([0, 0, 0]);
    await watching;
    runner.stop();
    await runner.done;

    const said = pruners.map((each) => JSON.parse(each.said()) as Ended);
    const pruned = said.reduce((sum, { right }) => sum + (right?.jobs ?? 0), 0);
    expect(said.map(({ right }) => right?.hindrance)).to.deep.equal([undefined, undefined, undefined]);
    expect(pruned).to.be.at.least(FINISHED + alone.length);
    for (const { left } of said) if (left !== undefined) expect(left.message).to.match(/another prune/);
    const longest = Math.max(...said.map(({ right }) => right?.longestMs ?? 0));
    const batches = said.reduce((sum, { right }) => sum + (right?.batches ?? 0), 0);
    console.log(
      `      ${pruned} jobs in ${batches} batches, the longest ${Math.round(longest)} ms; from enqueue to start` +
        ` p95 ${percentile(alone, 0.95)} ms alone, ${percentile(beside, 0.95)} ms beside it (${beside.length} jobs)`,
    );
    expect(longest).to.be.below(LONGEST_MS);
    expect(waits).to.deep.equal([]);
    expect(
      await column(ledger, 'SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()'),
    ).to.deep.equal(['0']);
    expect(await unequalTables(ledger)).to.deep.equal([]);
    const sums = await sumsOf(ledger);
    const worked = alone.length + beside.length;
    expect(sums.find((queue) => 'type' in queue && queue.type === 'old')).to.include({
      enqueued: FINISHED,
      succeeded: FINISHED,
    });
    expect(sums.find((queue) => 'type' in queue && queue.type === 'new')).to.include({
      enqueued: worked,
      succeeded: worked,
    });
  });
});
