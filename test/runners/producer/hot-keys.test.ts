// Producers that join jobs at the very moment they are claimed: neither waits for the other longer than a trip takes.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { producer } from '../../../runners/producer/producer.js';
import { column, everyHistory, testLedger, unequalTables, type TestLedger } from '../../support/ledger.js';
import { working } from '../../support/runners.js';

const ROUNDS = 15;
const KEYS = 60;

describe('keys that are enqueued and claimed all the time', () => {
  let ledger: TestLedger;

  before(async () => {
    ledger = await testLedger();
  });
  after(() => ledger.drop());

  it('lead to no deadlock, and every answer is in the history', async () => {
    const { done, stop } = working(ledger, [{ type: 'hot', run: () => 1 }], { leaseMs: 30_000 });
    const outcomes = { enqueued: 0, suppressed: 0, 'already-enqueued': 0 };
    const produce = async (offset: number): Promise<void> => {
      const own = producer({ ...ledger, by: `producer-${offset}` });
      for (let round = 0; round < ROUNDS; round += 1) {
        const jobs = Array.from({ length: KEYS / 2 }, (_, n) => ({
          type: 'hot',
          ignoreDuplicates: true,
          params: { n: (n + round + offset) % KEYS },
        }));
        for (const answer of await own.enqueueAll(jobs)) {
          if (E.isLeft(answer)) throw new Error(JSON.stringify(answer.left));
          outcomes[answer.right.outcome] += 1;
        }
      }
    };
    await Promise.all([0, 20, 40].map(produce));
    stop();
    await done;
    const types = [...(await everyHistory(ledger)).values()].flat().map(({ type }) => type);
    expect(types.filter((type) => type === 'JobEnqueued')).to.have.lengthOf(outcomes.enqueued);
    expect(types.filter((type) => type === 'DuplicateSuppressed')).to.have.lengthOf(outcomes.suppressed);
    const deadlocks = await column(
      ledger,
      'SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(deadlocks).to.deep.equal(['0']);
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
