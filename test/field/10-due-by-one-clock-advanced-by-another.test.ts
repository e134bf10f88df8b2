// One runner's clock is 90 s behind, another's 90 s ahead: both go by the database's.
import { expect } from 'chai';
import { addMilliseconds, millisecondsBetween } from '../../domain/instant.js';
import { executionFile, type ExecutionFile } from '../support/execution-file.js';
import { right } from '../support/ledger-database.js';
import {
  column,
  enqueued,
  everyHistory,
  factsOf,
  isIn,
  testLedger,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';
import { executionsIn, runnerProcess, working, type RunnerProcess } from '../support/runners.js';
import { until } from '../support/waiting.js';

const SHIFT_MS = 90_000;
/** What a busy machine may add between a decision and its append. */
const SLACK_MS = 10_000;

describe('field case 10: runners whose clocks are 90 s apart from the database’s, on either side', () => {
  let ledger: TestLedger;
  let file: ExecutionFile;
  let runners: readonly RunnerProcess[];

  before(async () => {
    ledger = await testLedger();
    file = executionFile();
    const options = { url: ledger.url, schema: ledger.schema, file: file.path, leaseMs: 1_500 };
    runners = [-SHIFT_MS, SHIFT_MS].map((clockShiftMs) => runnerProcess({ ...options, clockShiftMs }));
    await until('both have arrived', async () => (await offsets()).length === 2);
  });
  after(async () => {
    await Promise.all(runners.map(({ kill }) => kill()));
    file.remove();
    await ledger.drop();
  });

  const offsets = async (): Promise<readonly number[]> =>
    (
      await column(
        ledger,
        'SELECT clock_offset_ms::text FROM __schema__.runner_presence ORDER BY clock_offset_ms',
      )
    ).map(Number);

  it('are shown with what they are apart', async () => {
    const [ahead = 0, behind = 0] = await offsets();
    expect(ahead).to.be.within(-SHIFT_MS - SLACK_MS, -SHIFT_MS + SLACK_MS);
    expect(behind).to.be.within(SHIFT_MS - SLACK_MS, SHIFT_MS + SLACK_MS);
  });

  it('claim nothing before it is due', async () => {
    const notBefore = addMilliseconds(await right(ledger.index.now()), 2_500);
    const jobs = Array.from({ length: 6 }, (_, n) => ({ type: 'later', params: { n }, notBefore }));
    const ids = await enqueued(ledger, ...jobs);
    await until('all have succeeded', () => isIn(ledger, 'Succeeded', ...ids));
    for (const [id, events] of await everyHistory(ledger)) {
      const claim = events.find(({ type }) => type === 'JobClaimed');
      if (ids.includes(id)) expect(String(claim?.recordedAt) >= notBefore, id).to.equal(true);
    }
  });

  it('take no lease that is alive, however long its job runs', async () => {
    const jobs = Array.from({ length: 8 }, (_, n) => ({ type: 'long', params: { n, milliseconds: 5_000 } }));
    const ids = await enqueued(ledger, ...jobs);
    await until('all have succeeded', () => isIn(ledger, 'Succeeded', ...ids));
    const histories = await everyHistory(ledger);
    for (const id of ids)
      expect(histories.get(id)?.map(({ type }) => type)).to.deep.equal([
        'JobEnqueued',
        'JobClaimed',
        'AttemptStarted',
        'AttemptSucceeded',
      ]);
    expect(
      executionsIn(file.path).filter(({ jobId, mark }) => jobId === ids[0] && mark === 'begun').length,
    ).to.equal(1);
  });

  it('write times of the database into the history, and due times that follow from them', async () => {
    const jobs = Array.from({ length: 6 }, (_, n) => ({ type: 'impatient', params: { n, failures: 1 } }));
    const ids = await enqueued(ledger, ...jobs);
    await until('all have succeeded', () => isIn(ledger, 'Succeeded', ...ids));
    const histories = await everyHistory(ledger);
    for (const { metadata, recordedAt } of [...histories.values()].flat())
      expect(Math.abs(millisecondsBetween(metadata.occurredAt, recordedAt))).to.be.below(SLACK_MS);
    for (const id of ids) {
      const [retry] = await factsOf(ledger, id, 'RetryScheduled');
      const written = histories.get(id)?.find(({ type }) => type === 'RetryScheduled')?.recordedAt ?? '';
      expect(Math.abs(millisecondsBetween(written, retry?.notBefore ?? ''))).to.be.below(SLACK_MS);
    }
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });

  it('are told when they begin, and only they', async () => {
    const [right, wrong] = [0, -SHIFT_MS].map((offset) => {
      const clock = { ...ledger.clock, offset: () => offset };
      return working({ ...ledger, clock }, [{ type: 'none', run: () => undefined }]);
    });
    for (const each of [right, wrong]) each?.stop();
    await Promise.all([right?.done, wrong?.done]);
    const told = (lines: readonly string[] = []) => lines.filter((line) => line.includes('the clock of'));
    expect(told(right?.lines)).to.deep.equal([]);
    expect(told(wrong?.lines)).to.deep.equal([
      "the clock of this machine is 90.0 s ahead of the database's, by which leases and due times go",
    ]);
  });
});
