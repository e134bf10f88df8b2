// Attempts are counted when they start, so a job that ends its process is abandoned at the limit, and its neighbours all succeed.
import { expect } from 'chai';
import { hasEnded } from '../../domain/job/state.js';
import { executionFile, type ExecutionFile } from '../support/execution-file.js';
import {
  enqueued,
  factsOf,
  historyOf,
  stateOf,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';
import { executionsIn, runnerProcess, type RunnerProcess } from '../support/runners.js';
import { until } from '../support/waiting.js';

const ORDINARY = 50;

describe('field case 05: a job that kills its runner each time', () => {
  let ledger: TestLedger;
  let file: ExecutionFile;
  let current: RunnerProcess | undefined;

  before(async () => {
    ledger = await testLedger();
    file = executionFile();
  });

  after(async () => {
    await current?.kill();
    file.remove();
    await ledger.drop();
  });

  const haveEnded = async (jobs: readonly string[]): Promise<boolean> => {
    const states = await Promise.all(jobs.map((id) => stateOf(ledger, id)));
    return states.every((state) => state._tag !== 'None' && hasEnded(state));
  };

  /** Restarts the runner whenever it has been killed, until every job has ended. */
  const supervise = (jobs: readonly string[]): Promise<true> =>
    until(
      'every job has ended',
      async () => {
        if (current === undefined || current.child.signalCode !== null) {
          const { url, schema } = ledger;
          current = runnerProcess({ url, schema, file: file.path, concurrency: 2, leaseMs: 1_000 });
        }
        return haveEnded(jobs);
      },
      100_000,
    );

  it('is started exactly three times of three, then abandoned by the reaper, and fifty others succeed', async function () {
    this.timeout(120_000);
    const quick = (n: number) => ({ type: 'mixed', params: { n, milliseconds: 20 } });
    const before = await enqueued(ledger, ...Array.from({ length: ORDINARY / 2 }, (_, n) => quick(n)));
    const [killer = ''] = await enqueued(ledger, { type: 'mixed', params: { kills: true }, maxAttempts: 3 });
    const behind = await enqueued(ledger, ...Array.from({ length: ORDINARY / 2 }, (_, n) => quick(-n)));
    await supervise([killer, ...before, ...behind]);

    const started = await factsOf(ledger, killer, 'AttemptStarted');
    expect(started.map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3]);
    const called = executionsIn(file.path).filter(({ jobId }) => jobId === killer);
    expect(called.map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3]);
    expect(new Set(called.map(({ pid }) => pid)).size).to.equal(3);
    expect(await stateOf(ledger, killer)).to.include({ _tag: 'Abandoned', reason: 'lease-lost' });
    expect((await historyOf(ledger, killer)).at(-1)?.metadata.by).to.equal('reaper');
    const types = await typesOf(ledger, killer);
    expect(types.filter((type) => type === 'JobAbandoned')).to.have.lengthOf(1);
    const others = await Promise.all([...before, ...behind].map((id) => stateOf(ledger, id)));
    expect(others.map(({ _tag }) => _tag)).to.deep.equal(Array.from({ length: ORDINARY }, () => 'Succeeded'));
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
