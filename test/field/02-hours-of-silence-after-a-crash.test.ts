// Recovery takes a lease and a tick of the reaper, and goes through the retry limit like any failure.
import { expect } from 'chai';
import { millisecondsBetween } from '../../domain/instant.js';
import { reaper, type Reaper } from '../../runners/reaper.js';
import { executionFile, type ExecutionFile } from '../support/execution-file.js';
import { untilGone, urlFor } from '../support/killed-runners.js';
import {
  enqueued,
  factsOf,
  historyOf,
  isIn,
  stateOf,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';
import { drained, executionsIn, runnerProcess, type RunnerProcess } from '../support/runners.js';
import { until } from '../support/waiting.js';

const LEASE_MS = 1_500;
const TICK_MS = 200;
/** The machine may be busy. */
const SLACK_MS = 3_000;

describe('field case 02: a crashed runner', () => {
  let ledger: TestLedger;
  let file: ExecutionFile;
  let crashing: RunnerProcess;
  let recovery: Reaper;

  beforeEach(async () => {
    ledger = await testLedger();
    file = executionFile();
    recovery = reaper(
      ledger.reaperPorts(() => undefined),
      { by: 'reaper', tickMs: TICK_MS },
    );
    const options = { schema: ledger.schema, file: file.path, leaseMs: LEASE_MS };
    crashing = runnerProcess({ ...options, url: urlFor(ledger, 'crashing') });
  });

  afterEach(async () => {
    await crashing.kill();
    await recovery.stop();
    file.remove();
    await ledger.drop();
  });

  const killedAtAttempt = async (attempt: number): Promise<string> => {
    await until('the attempt has begun', () =>
      executionsIn(file.path).some((execution) => execution.attempt === attempt),
    );
    const killedAt = ledger.clock.now();
    await crashing.kill();
    await untilGone(ledger, 'crashing');
    return killedAt;
  };

  it('leaves a job at attempt 1 of 5 claimable again within lease and tick, without a back-off', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'long', params: { milliseconds: 600_000 } });
    const killedAt = await killedAtAttempt(1);
    await until('the job waits again', () => isIn(ledger, 'Waiting', id));
    const [expired, scheduled] = (await historyOf(ledger, id)).slice(-2);
    expect([expired?.type, scheduled?.type]).to.deep.equal(['LeaseExpired', 'RetryScheduled']);
    const recovered = millisecondsBetween(killedAt, expired?.recordedAt ?? '');
    expect(recovered).to.be.within(0, LEASE_MS + TICK_MS + SLACK_MS);
    const [again] = await factsOf(ledger, id, 'RetryScheduled');
    expect(String(again?.notBefore) <= String(scheduled?.recordedAt)).to.equal(true);

    const attempts: number[] = [];
    await drained(ledger, [{ type: 'long', run: ({ attempt }) => void attempts.push(attempt) }]);
    expect(attempts).to.deep.equal([2]);
    const started = await factsOf(ledger, id, 'AttemptStarted');
    expect(started.map(({ executionSource }) => executionSource)).to.deep.equal([
      'NORMAL_TRIGGER',
      'FAILOVER',
    ]);
    expect(await typesOf(ledger, id)).not.to.include('JobAbandoned');
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });

  it('leaves a job at attempt 5 of 5 abandoned, once, and the reason names the lost lease', async () => {
    const params = { failures: 4, milliseconds: 600_000 };
    const [id = ''] = await enqueued(ledger, { type: 'impatient', params });
    await killedAtAttempt(5);
    await until('the job is abandoned', () => isIn(ledger, 'Abandoned', id));
    const [expired, abandoned] = (await historyOf(ledger, id)).slice(-2);
    expect(expired?.event).to.have.nested.include({ type: 'LeaseExpired', 'data.next': 'abandon' });
    expect(abandoned?.event).to.have.nested.include({ type: 'JobAbandoned', 'data.attempts': 5 });
    expect(await stateOf(ledger, id)).to.include({ _tag: 'Abandoned', reason: 'lease-lost' });

    await drained(ledger, [{ type: 'impatient', run: () => undefined }]);
    const types = await typesOf(ledger, id);
    expect(types.filter((type) => type === 'JobAbandoned')).to.have.lengthOf(1);
    expect(types.filter((type) => type === 'AttemptStarted')).to.have.lengthOf(5);
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
