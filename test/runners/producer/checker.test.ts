// The checker itself: histories that break the promise are told, each with the job that was dropped.
import { expect } from 'chai';
import type { JobCommand } from '../../../domain/job/commands.js';
import type { JobEvent } from '../../../domain/job/events.js';
import type { RecordedEvent } from '../../../domain/ledger.js';
import {
  cancel,
  claim,
  deduplicated,
  enqueue,
  fail,
  requeue,
  rootAt,
  start,
  succeed,
  suppress,
} from '../../support/given-commands.js';
import { jobUuid, streamOf } from '../../support/given-rows.js';
import { after } from '../../support/job-specification.js';
import { uncovered } from '../../support/uncovered.js';

/** Which job does its next thing; a number alone is its next event. */
const told = (
  jobs: Readonly<Record<number, readonly JobCommand[]>>,
  order: readonly number[],
): readonly RecordedEvent[] => {
  const streams = new Map(
    Object.entries(jobs).map(([n, commands]) => [Number(n), [...streamOf(after(...commands), Number(n))]]),
  );
  return order.map((job, index) => {
    const next = streams.get(job)?.shift();
    if (next === undefined) throw new Error(`job ${job} does no more`);
    const { event, ...place } = next;
    return { ...place, ...event, position: BigInt(index + 1), recordedAt: '2026-03-01T04:00:00.000Z' };
  });
};

const equal = enqueue({ dedup: deduplicated });
const run = [equal, claim(), start(), succeed()];
const coveredBy = (job: number): JobCommand => claim({ executedLater: { jobId: jobUuid(job) } });
const dropped = (history: readonly RecordedEvent[]): readonly string[] =>
  uncovered(history).map(({ jobId }) => jobId);

describe('the checker of dropped work', () => {
  it('finds nothing where an equal job began behind the one it covers, and succeeded', () => {
    expect(dropped(told({ 1: run, 2: [equal, coveredBy(1)] }, [1, 2, 1, 1, 1, 2]))).to.deep.equal([]);
  });

  it('tells a job covered by one that began before it was enqueued', () => {
    const history = told({ 1: run, 2: [equal, coveredBy(1)] }, [1, 1, 1, 2, 1, 2]);
    expect(uncovered(history)).to.deep.equal([
      { jobId: jobUuid(2), wanted: 4n, why: `job ${jobUuid(1)} began at 3, before` },
    ]);
  });

  it('tells it also where the covering one runs still', () => {
    const jobs = { 1: [equal, claim(), start()], 2: [equal, coveredBy(1)] };
    expect(dropped(told(jobs, [1, 1, 1, 2, 2]))).to.deep.equal([jobUuid(2)]);
    expect(dropped(told(jobs, [1, 2, 1, 1, 2]))).to.deep.equal([]);
  });

  it('tells a suppressed enqueue whose survivor is covered by what began before it', () => {
    const survivor = [equal, suppress(), coveredBy(1)];
    expect(dropped(told({ 1: run, 2: survivor }, [1, 1, 2, 1, 2, 1, 2]))).to.deep.equal([jobUuid(2)]);
    expect(dropped(told({ 1: run, 2: survivor }, [1, 1, 2, 2, 1, 1, 2]))).to.deep.equal([]);
  });

  it('follows a job that is superseded by one that is superseded itself', () => {
    const [old, newer] = [rootAt('20260301040000'), rootAt('20260301050000')];
    const leaf = [
      enqueue({ root: { ...old, isSelf: false } }),
      claim({ newerRoot: { jobId: jobUuid(2), timestamp: newer.timestamp } }),
    ];
    const root = [
      enqueue({ dedup: deduplicated, root: newer }),
      claim({ executedLater: { jobId: jobUuid(1), rootTimestamp: newer.timestamp } }),
    ];
    const executed = [enqueue({ dedup: deduplicated, root: newer }), claim(), start(), succeed()];
    const jobs = { 1: executed, 2: root, 3: leaf };
    expect(dropped(told(jobs, [1, 2, 3, 1, 1, 1, 3, 2]))).to.deep.equal([]);
    expect(dropped(told(jobs, [1, 2, 1, 1, 3, 1, 3, 2]))).to.deep.equal([jobUuid(3)]);
  });

  it('asks anew for what was requeued', () => {
    const again = [equal, cancel(), requeue(), coveredBy(1)];
    expect(dropped(told({ 1: run, 2: again }, [1, 2, 1, 1, 1, 2, 2, 2]))).to.deep.equal([jobUuid(2)]);
  });

  it('is content with a covering job that waits, or that a person or the retry limit has stopped', () => {
    const jobs = (...last: readonly JobCommand[]) => ({ 1: [equal, ...last], 2: [equal, suppress()] });
    expect(dropped(told(jobs(), [1, 2, 2]))).to.deep.equal([]);
    const ended = { 2: [equal, suppress(), cancel()] };
    expect(dropped(told(ended, [2, 2, 2]))).to.deep.equal([]);
    const failing = [equal, suppress(), claim(), start(), fail({ isRetryable: false })];
    expect(dropped(told({ 2: failing }, [2, 2, 2, 2, 2, 2]))).to.deep.equal([]);
  });

  it("tells a cover of another key, one that is not there, and a job enqueued in its caller's transaction", () => {
    const other = [
      enqueue({ dedup: { ...deduplicated, sha1: '0'.repeat(31) } }),
      claim(),
      start(),
      succeed(),
    ];
    expect(dropped(told({ 1: other, 2: [equal, coveredBy(1)] }, [2, 1, 1, 1, 1, 2]))).to.deep.equal([
      jobUuid(2),
    ]);
    expect(dropped(told({ 2: [equal, coveredBy(1)] }, [2, 2]))).to.deep.equal([jobUuid(2)]);
    const inTransaction = told({ 1: run, 2: [equal, coveredBy(1)] }, [2, 1, 1, 1, 1, 2]).map((each) => {
      const data = each.data as Extract<JobEvent, { type: 'JobEnqueued' }>['data'];
      const isTold = each.stream === `job-${jobUuid(2)}` && each.type === 'JobEnqueued';
      return isTold ? { ...each, data: { ...data, inCallersTransaction: true } } : each;
    });
    expect(dropped(inTransaction)).to.deep.equal([jobUuid(2)]);
  });
});
