// Two runner processes on one ledger: each job once; and where one is killed, twice only what its lost leases explain.
import { expect } from 'chai';
import { executionFile, type ExecutionFile } from '../../support/execution-file.js';
import { enqueued, everyHistory, testLedger, unequalTables, type TestLedger } from '../../support/ledger.js';
import { executionsIn, runnerProcess, type RunnerProcess } from '../../support/runners.js';
import { until } from '../../support/waiting.js';

const JOBS = 2_000;

describe('two runner processes', () => {
  let ledger: TestLedger;
  let file: ExecutionFile;
  let processes: readonly RunnerProcess[] = [];

  beforeEach(async () => {
    ledger = await testLedger();
    file = executionFile();
  });

  afterEach(async () => {
    await Promise.all(processes.map(({ kill }) => kill()));
    file.remove();
    await ledger.drop();
  });

  const executed = (): readonly string[] =>
    executionsIn(file.path).flatMap(({ jobId, mark }) => (mark === 'begun' ? [jobId] : []));

  const begin = async (
    milliseconds: number,
    more: { drain?: boolean; leaseMs?: number },
  ): Promise<readonly string[]> => {
    const jobs = Array.from({ length: JOBS }, (_, n) => ({ type: 'append', params: { n, milliseconds } }));
    const ids = await enqueued(ledger, ...jobs);
    const { url, schema } = ledger;
    const options = { url, schema, file: file.path, ...more };
    processes = [runnerProcess(options), runnerProcess(options)];
    return ids;
  };

  it('execute each of 2,000 jobs once', async () => {
    const ids = await begin(0, { drain: true });
    const codes = await Promise.all(processes.map(({ ended }) => ended));
    expect(codes).to.deep.equal([0, 0]);
    expect(executed()).to.have.lengthOf(JOBS);
    expect(new Set(executed())).to.deep.equal(new Set(ids));
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });

  it('execute each at least once where one is killed, and twice only where a lease expired', async () => {
    const ids = await begin(2, { leaseMs: 1_500 });
    await until('half of them are done', () => executed().length >= JOBS / 2);
    await processes[0]?.kill();
    await until('all have succeeded', async () => {
      const histories = await everyHistory(ledger);
      return ids.every((id) => histories.get(id)?.at(-1)?.type === 'AttemptSucceeded');
    });
    expect(new Set(executed())).to.deep.equal(new Set(ids));
    const times = new Map<string, number>();
    for (const id of executed()) times.set(id, (times.get(id) ?? 0) + 1);
    const histories = await everyHistory(ledger);
    for (const [id, count] of times) {
      const types = histories.get(id)?.map(({ type }) => type) ?? [];
      if (count > 1) expect(types, id).to.include('LeaseExpired');
    }
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
