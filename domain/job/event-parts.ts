/** The members that several events share, taken from the state that the event leaves. */
import { defined } from '../defined.js';
import type { ReleaseClaim } from './commands.js';
import { storableText } from './error-facts.js';
import type { JobEvent } from './events.js';
import type { ActiveState, ErrorFacts, Placement, Task } from './facts.js';
import type { Claimed, ExistingJob, Job, Running } from './state.js';

interface Scope {
  readonly wiki: string;
  readonly type: string;
  readonly from: ActiveState;
}

const activeName = (state: ExistingJob): ActiveState =>
  state._tag === 'Succeeded' || state._tag === 'Superseded' ? 'Cancelled' : state._tag;

export const scopeOf = (state: ExistingJob): Scope => ({
  wiki: state.job.enqueued.wiki,
  type: state.job.enqueued.type,
  from: activeName(state),
});

/** Imported jobs take part too: whether they ignore duplicates is for the handler to say when they are claimed. */
export const isDeduplicated = (job: Job): boolean =>
  job.ignoreDuplicates || job.enqueued.imported !== undefined;

export const placementOf = (job: Job, enqueuedRevision = job.enqueuedRevision): Placement => {
  const { dedup, number } = job.enqueued;
  const place = {
    number,
    class: job.class,
    priority: job.priority,
    enqueuedRevision: enqueuedRevision.toString(),
  };
  return {
    ...place,
    ...(isDeduplicated(job) ? { dedup: { ignoreDuplicates: job.ignoreDuplicates, sha1: dedup.sha1 } } : {}),
    ...(job.root === undefined ? {} : { root: job.root }),
    ...(job.hasOwnClass ? { hasOwnClass: true as const } : {}),
  };
};

/** The last attempt's names; before the first start the item, without which no name can be made up. */
export const taskOf = ({ task, enqueued }: Job): { task?: Task; shardingItem?: number } => {
  if (task !== undefined) return { task };
  return enqueued.shardingItem === 0 ? {} : { shardingItem: enqueued.shardingItem };
};

/** When a waiting job is due, where somebody said so: the tables count such jobs by their minute. */
export const dueAtOf = (state: ExistingJob): { dueAt?: string } =>
  state._tag === 'Waiting' && state.notBefore !== undefined ? { dueAt: state.notBefore } : {};

/** Marks events of root jobs, whose row stands in a table of its own. */
export const isRoot = (job: Job): true | undefined => (job.root?.isSelf === true ? true : undefined);

export const originalTaskId = (job: Job): string | undefined =>
  job.task === undefined ? undefined : (job.task.originalTaskId ?? job.task.taskId);

export const abandoned = (
  state: Claimed | Running,
  reason: 'attempts-exhausted' | 'not-retryable' | 'lease-lost',
  error?: ErrorFacts,
): JobEvent => ({
  type: 'JobAbandoned',
  data: defined({ ...scopeOf(state), ...taskOf(state.job), reason, attempts: state.job.attempts, error }),
});

/** A claim given back is not counted; an attempt that had begun and was interrupted is told, for the execution log. */
export const releasedEvent = (
  state: Claimed | Running,
  { why, now, notBefore }: Omit<ReleaseClaim, '_tag' | 'token'>,
): JobEvent => ({
  type: 'JobReleased',
  data: {
    ...scopeOf(state),
    ...taskOf(state.job),
    ...(state._tag === 'Running'
      ? { attempt: state.attempt.number, startedAt: state.attempt.startedAt, completedAt: now }
      : {}),
    ...(notBefore === undefined ? {} : { notBefore }),
    why: storableText(why),
    claims: state.job.claims - 1,
    placement: placementOf(state.job),
  },
});
