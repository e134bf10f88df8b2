// A handler blocks its process for longer than the lease; another runner takes the job over; then the first one comes back.
import { expect } from 'chai';
import { executionFile, type ExecutionFile } from '../support/execution-file.js';
import {
  column,
  enqueued,
  TAKEN_OVER,
  factsOf,
  isIn,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';
import {
  executionsIn,
  runnerProcess,
  working,
  type RunnerProcess,
  type TestWork,
} from '../support/runners.js';
import { until } from '../support/waiting.js';

const LEASE_MS = 1_200;

describe('field case 04: a runner that stalled for longer than its lease, and comes back', () => {
  let ledger: TestLedger;
  let file: ExecutionFile;
  let first: RunnerProcess;
  let second: TestWork | undefined;

  beforeEach(async () => {
    ledger = await testLedger();
    file = executionFile();
    const { url, schema } = ledger;
    first = runnerProcess({ url, schema, file: file.path, leaseMs: LEASE_MS });
  });
  afterEach(async () => {
    second?.stop();
    await second?.done;
    await first.kill();
    file.remove();
    await ledger.drop();
  });

  const marks = (): readonly string[] => executionsIn(file.path).map(({ mark }) => mark);

  /** The job is taken over while the first runner is blocked, and its end is written before that one can say a word. */
  const takenOver = async (params: object): Promise<string> => {
    const [id = ''] = await enqueued(ledger, { type: 'stalling', params });
    await until('the first runner has begun', () => marks().includes('begun'));
    const run = (): string => 'from the second';
    second = working(ledger, [{ type: 'stalling', run }], { leaseMs: LEASE_MS });
    await until('the second has succeeded', () => isIn(ledger, 'Succeeded', id));
    expect(marks()).to.deep.equal(['begun']);
    return id;
  };

  const expectSecondsEnd = async (id: string): Promise<void> => {
    expect(await typesOf(ledger, id)).to.deep.equal(TAKEN_OVER);
    const successes = await factsOf(ledger, id, 'AttemptSucceeded');
    expect(successes.map(({ attempt, result }) => [attempt, result])).to.deep.equal([[2, 'from the second']]);
  };

  it('has its report refused: both executions are in the history, and the end is the second’s', async () => {
    const id = await takenOver({ blocks: 6_000 });
    await until('the first has come back', () => marks().includes('done'));
    // Its report has been answered when it has taken and ended another job.
    second?.stop();
    await second?.done;
    const [other = ''] = await enqueued(ledger, { type: 'next' });
    await until('it works on', () => isIn(ledger, 'Succeeded', other));
    await expectSecondsEnd(id);
    expect(await unequalTables(ledger)).to.deep.equal([]);
    const trace = await column(
      ledger,
      `SELECT state || ' ' || execution_type FROM __schema__.job_status_trace_log
       WHERE job_name = 'stalling' ORDER BY creation_time, id`,
    );
    expect(trace).to.include('TASK_LOST NORMAL_TRIGGER');
    expect(trace).to.include('TASK_RUNNING FAILOVER');
    expect(trace.indexOf('TASK_LOST NORMAL_TRIGGER')).to.be.below(trace.indexOf('TASK_RUNNING FAILOVER'));
  });

  it('is told by its signal where its handler goes on', async () => {
    const id = await takenOver({ blocks: 6_000, milliseconds: 600_000 });
    await until('its handler has been told', () => marks().length === 2);
    expect(marks()).to.deep.equal(['begun', 'Error']);
    await expectSecondsEnd(id);
  });
});
