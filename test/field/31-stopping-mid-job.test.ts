// Deployments stop runners in the middle of long jobs: those are given back uncounted and go on elsewhere at once, or, where a second
// signal leaves no time for that, when the lease has run out.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { millisecondsBetween } from '../../domain/instant.js';
import {
  column,
  enqueued,
  factsOf,
  historyOf,
  testLedger,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';
import { cliProcess, type CliProcess } from '../support/cli-process.js';
import { executionsIn } from '../support/runners.js';
import { until } from '../support/waiting.js';

const JOBS = 5;

/** Each call writes a line: job id, attempt, process id, how it is going. */
const HANDLERS = `
import { appendFileSync } from 'node:fs';
const mark = ({ id, attempt }, what) =>
  appendFileSync(new URL('executions', import.meta.url), [id, attempt, process.pid, what].join(' ') + '\\n');
const aMinute = (signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, 60_000, 'done');
  signal.addEventListener('abort', () => { clearTimeout(timer); resolve('interrupted'); });
});
export default [
  { type: 'long', run: async (job, { signal }) => { mark(job, 'begun'); mark(job, await aMinute(signal)); } },
  { type: 'deaf', run: (job) => { mark(job, 'begun'); return new Promise(() => setInterval(() => undefined, 1_000)); } },
];
`;

describe('field case 31: a runner stopped in the middle of its jobs', () => {
  let ledger: TestLedger;
  let folder: string;
  let file: string;
  const processes: CliProcess[] = [];

  beforeEach(async () => {
    ledger = await testLedger();
    folder = mkdtempSync(join(tmpdir(), 'jobledger-stopping-'));
    file = join(folder, 'executions');
    writeFileSync(file, '');
    writeFileSync(join(folder, 'handlers.mjs'), HANDLERS);
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map(({ kill }) => kill()));
    rmSync(folder, { recursive: true, force: true });
    await ledger.drop();
  });

  const work = (...args: readonly string[]): CliProcess => {
    const command = ['work', '--handlers', join(folder, 'handlers.mjs'), ...args];
    const running = cliProcess(command, { JOBLEDGER_DATABASE_URL: ledger.url });
    processes.push(running);
    return running;
  };

  const marks = (mark: string, { child }: CliProcess): readonly string[] =>
    executionsIn(file)
      .filter((execution) => execution.mark === mark && execution.pid === child.pid)
      .map(({ jobId }) => jobId);

  const runnersUp = (count: number): Promise<true> =>
    until(`${count} runners are there`, async () => {
      const [there] = await column(ledger, 'SELECT count(*)::text FROM __schema__.runner_presence');
      return there === String(count);
    });

  it('gives its jobs back behind the grace time, uncounted, and another goes on with them within a poll', async () => {
    const ids = await enqueued(
      ledger,
      ...Array.from({ length: JOBS }, (_, n) => ({ type: 'long', params: { n } })),
    );
    const first = work('--grace', '1', '--concurrency', String(JOBS));
    await until('all run', () => marks('begun', first).length === JOBS);
    const second = work('--concurrency', String(JOBS));
    await runnersUp(2);

    const asked = performance.now();
    first.child.kill('SIGTERM');
    expect(await first.ended).to.deep.equal([0, null]);
    expect(performance.now() - asked).to.be.within(1_000, 5_000);
    expect(first.said()).to.include(`${JOBS} given back`);
    expect(marks('interrupted', first)).to.have.members(ids);

    await until('all run again', () => marks('begun', second).length === JOBS);
    expect(marks('begun', second)).to.have.members(ids);
    for (const id of ids) {
      const history = await historyOf(ledger, id);
      expect(history.map(({ type }) => type)).to.deep.equal([
        'JobEnqueued',
        'JobClaimed',
        'AttemptStarted',
        'JobReleased',
        'JobClaimed',
        'AttemptStarted',
      ]);
      const released = history[3]?.recordedAt ?? '';
      const starts = await factsOf(ledger, id, 'AttemptStarted');
      expect(starts.map(({ attempt, executionSource }) => [attempt, executionSource])).to.deep.equal([
        [1, 'NORMAL_TRIGGER'],
        [1, 'NORMAL_TRIGGER'],
      ]);
      expect(millisecondsBetween(released, history[5]?.recordedAt ?? '')).to.be.below(2_000);
    }
    expect(await unequalTables(ledger)).to.deep.equal([]);
    const attempts = await column(ledger, 'SELECT job_attempts::text FROM __schema__.job');
    expect(attempts).to.deep.equal(Array.from({ length: JOBS }, () => '1'));
  });

  it('is gone at once at a second signal, and the lease covers what it held', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'deaf' });
    const first = work('--grace', '3600', '--lease', '3');
    await until('it runs', () => marks('begun', first).length === 1);
    first.child.kill('SIGTERM');
    await until('it says that it stops', () => first.said().includes('stopping'));
    first.child.kill('SIGTERM');
    expect(await first.ended).to.deep.equal([null, 'SIGTERM']);
    expect((await historyOf(ledger, id)).at(-1)?.type).to.equal('AttemptStarted');

    const second = work();
    await until('another runs it', () => marks('begun', second).length === 1);
    const [, again] = await factsOf(ledger, id, 'AttemptStarted');
    expect(again).to.include({ attempt: 2, executionSource: 'FAILOVER' });
    expect(await factsOf(ledger, id, 'JobReleased')).to.deep.equal([]);
    expect(await factsOf(ledger, id, 'LeaseExpired')).to.have.lengthOf(1);
  });
});
