// Two hundred producers push one and the same job while four runners work on it: whatever is dropped, something does it later.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { producer } from '../../../runners/producer/producer.js';
import { everyEvent, testLedger, unequalTables, type TestLedger } from '../../support/ledger.js';
import { working } from '../../support/runners.js';
import { until } from '../../support/waiting.js';
import { uncovered } from '../../support/uncovered.js';

const PRODUCERS = 200;
const PUSHES = 50;

describe('200 producers that push the same job 50 times each', () => {
  let ledger: TestLedger;

  before(async () => {
    ledger = await testLedger();
  });
  after(() => ledger.drop());

  it('while 4 runners work on it lose nothing that is not done later', async function () {
    this.timeout(300_000);
    const job = { type: 'same', params: { page: 7 }, ignoreDuplicates: true };
    let executions = 0;
    const run = (): void => void (executions += 1);
    const runners = [1, 2, 3, 4].map(() => working(ledger, [{ type: 'same', run }], { leaseMs: 60_000 }));
    const outcomes: Record<string, number> = {};
    // Four processes, as it were, of fifty callers each: those of one share its trips.
    const processes = [1, 2, 3, 4].map((n) => producer({ ...ledger, by: `producer-${n}` }));
    const push = async (_: unknown, n: number): Promise<void> => {
      const own = processes[n % processes.length] ?? ledger.producer;
      for (let pushed = 0; pushed < PUSHES; pushed += 1) {
        const answer = await own.enqueue(job);
        const outcome = E.isLeft(answer) ? answer.left._tag : answer.right.outcome;
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: PRODUCERS }, push));
    await until(
      'nothing waits or runs any more',
      async () => {
        const held = await ledger.pool.query(
          `SELECT FROM ${ledger.schema}.duplicate WHERE begun_revision IS NULL LIMIT 1`,
        );
        return held.rowCount === 0;
      },
      200_000,
    );
    for (const { stop } of runners) stop();
    await Promise.all(runners.map(({ done }) => done));
    const history = await everyEvent(ledger);
    const count = (type: string): number => history.filter((event) => event.type === type).length;
    expect(outcomes['enqueued']).to.equal(count('JobEnqueued'));
    expect(outcomes['suppressed']).to.equal(count('DuplicateSuppressed'));
    expect(count('JobEnqueued') + count('DuplicateSuppressed')).to.equal(PRODUCERS * PUSHES);
    expect(executions).to.equal(count('AttemptSucceeded'));
    expect(executions + count('JobSuperseded')).to.equal(count('JobEnqueued'));
    expect(uncovered(history)).to.deep.equal([]);
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
