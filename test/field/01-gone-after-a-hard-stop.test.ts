// A runner is killed while it works: between claim and report every job is recoverable from the ledger alone.
import { expect } from 'chai';
import { executionFile, type ExecutionFile } from '../support/execution-file.js';
import { expiredClaims, heldClaims, untilGone, urlFor } from '../support/killed-runners.js';
import { enqueued, everyHistory, testLedger, unequalTables, type TestLedger } from '../support/ledger.js';
import { drained, executionsIn, runnerProcess, working, type RunnerProcess } from '../support/runners.js';
import { until } from '../support/waiting.js';

const JOBS = 60;
const CONCURRENCY = 8;
const LEASE_MS = 1_500;

describe('field case 01: a runner killed with kill -9 while it works', () => {
  let ledger: TestLedger;
  let file: ExecutionFile;
  let first: RunnerProcess | undefined;

  before(async () => {
    ledger = await testLedger();
    file = executionFile();
  });

  after(async () => {
    await first?.kill();
    file.remove();
    await ledger.drop();
  });

  it('loses no job, and exactly the claims it held expire', async () => {
    const specifications = Array.from({ length: JOBS }, (_, n) => ({
      type: 'slow',
      params: { n, milliseconds: 300 },
    }));
    const ids = await enqueued(ledger, ...specifications);
    const options = { schema: ledger.schema, file: file.path, concurrency: CONCURRENCY, leaseMs: LEASE_MS };
    first = runnerProcess({ ...options, url: urlFor(ledger, 'first') });
    await until('some jobs are done', () => executionsIn(file.path).some(({ mark }) => mark === 'done'));
    await first.kill();
    await untilGone(ledger, 'first');
    const held = await heldClaims(ledger);
    expect(held.length).to.be.at.least(1);

    const again = new Set<string>();
    const second = { concurrency: 40, leaseMs: LEASE_MS };
    const { done, stop } = working(ledger, [{ type: 'slow', run: ({ id }) => void again.add(id) }], second);
    await until('all jobs have succeeded', async () => {
      const histories = await everyHistory(ledger);
      return ids.every((id) => histories.get(id)?.at(-1)?.type === 'AttemptSucceeded');
    });
    stop();
    await done;

    expect(await expiredClaims(ledger)).to.have.deep.members(held);
    expect([...again]).to.include.members(held.map(({ jobId }) => jobId));
    const histories = await everyHistory(ledger);
    expect([...histories.keys()]).to.have.members(ids);
    for (const events of histories.values()) {
      expect(events.filter(({ type }) => type === 'AttemptSucceeded')).to.have.lengthOf(1);
    }
    expect(await unequalTables(ledger)).to.deep.equal([]);
    expect(await drained(ledger, [{ type: 'slow', run: () => undefined }])).to.include({ succeeded: 0 });
  });
});
