// Field case 21: of a burst of jobs with one key nothing vanishes: each call is answered, and what was suppressed stays in the history.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { EnqueueOutcome } from '../../runners/producer/enqueueing.js';
import { claimed } from '../support/claims.js';
import { everyEvent, factsOf, testLedger, unequalTables, type TestLedger } from '../support/ledger.js';
import { drained } from '../support/runners.js';
import { uncovered } from '../support/uncovered.js';

describe('field case 21: debounced into nothing', () => {
  let ledger: TestLedger;

  beforeEach(async () => {
    ledger = await testLedger();
  });
  afterEach(async () => {
    expect(uncovered(await everyEvent(ledger))).to.deep.equal([]);
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  const burst = async (facts: object): Promise<readonly EnqueueOutcome[]> => {
    const outcomes: EnqueueOutcome[] = [];
    for (let n = 1; n <= 10; n += 1) {
      const job = { type: 'index', params: { n }, ignoreDuplicates: true, requestId: `r${n}`, ...facts };
      const answer = await ledger.producer.enqueue(job);
      if (E.isLeft(answer)) throw new Error(answer.left._tag);
      outcomes.push(answer.right);
    }
    return outcomes;
  };

  it('with different params and no key, ten jobs are ten jobs', async () => {
    const outcomes = await burst({});
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(Array(10).fill('enqueued'));
    expect(await drained(ledger, [{ type: 'index', run: () => 1 }])).to.include({ succeeded: 10 });
  });

  it('with one key, nine calls name the job that answers for them, and their params are kept', async () => {
    const [first, ...others] = await burst({ dedupKey: 'page-7' });
    expect(first?.outcome).to.equal('enqueued');
    const survivor = first?.jobId ?? '';
    expect(others).to.deep.equal(Array(9).fill({ jobId: survivor, outcome: 'suppressed', survivor }));
    const told = await factsOf(ledger, survivor, 'DuplicateSuppressed');
    expect(told.map(({ params, requestId }) => [params, requestId])).to.deep.equal(
      [2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => [{ n }, `r${n}`]),
    );
    expect(await drained(ledger, [{ type: 'index', run: () => 1 }])).to.include({ succeeded: 1 });
  });

  it('while the first is claimed an equal one is accepted, and the rest join it', async () => {
    const [first] = await burst({ dedupKey: 'page-7' });
    const claim = await claimed(ledger, first?.jobId ?? '');
    await claim.start();
    const [second, ...others] = await burst({ dedupKey: 'page-7' });
    expect(second?.outcome).to.equal('enqueued');
    expect(new Set(others.map(({ jobId }) => jobId))).to.deep.equal(new Set([second?.jobId]));
    await claim.succeed();
    const ran: string[] = [];
    await drained(ledger, [{ type: 'index', run: ({ id }) => void ran.push(id) }]);
    expect(ran).to.deep.equal([second?.jobId]);
  });
});
