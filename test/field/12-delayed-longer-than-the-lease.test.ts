// Waiting is not being worked on: a job delayed for many leases is claimed once, when it is due.
import { expect } from 'chai';
import { addMilliseconds } from '../../domain/instant.js';
import {
  enqueued,
  factsOf,
  isIn,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';
import { working } from '../support/runners.js';
import { until } from '../support/waiting.js';

const LEASE_MS = 300;
const DELAY_MS = 10 * LEASE_MS;

describe('field case 12: a job delayed for ten leases, and three runners', () => {
  let ledger: TestLedger;

  before(async () => {
    ledger = await testLedger();
  });
  after(() => ledger.drop());

  it('is not claimed before its time, then claimed once and executed once', async () => {
    const executions: string[] = [];
    const run = ({ id }: { id: string }): void => void executions.push(id);
    const options = { leaseMs: LEASE_MS, pollMs: 50, reaperTickMs: 50 };
    const runners = [1, 2, 3].map(() => working(ledger, [{ type: 'later', run }], options));
    const notBefore = addMilliseconds(ledger.clock.now(), DELAY_MS);
    const [id = ''] = await enqueued(ledger, { type: 'later', notBefore });
    await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
    for (const { stop } of runners) stop();
    await Promise.all(runners.map(({ done }) => done));
    expect(await typesOf(ledger, id)).to.deep.equal([
      'JobEnqueued',
      'JobClaimed',
      'AttemptStarted',
      'AttemptSucceeded',
    ]);
    const [claim] = await factsOf(ledger, id, 'JobClaimed');
    expect(String(claim?.claimedAt) >= notBefore).to.equal(true);
    expect(executions).to.deep.equal([id]);
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
