/** An attempt: begun, and ended by success or failure. Attempts are counted when they start. */
import { defined } from '../defined.js';
import { addMilliseconds, millisecondsBetween } from '../instant.js';
import type { FailAttempt, StartAttempt, SucceedAttempt } from './commands.js';
import type { JobEvent, JobEventOf } from './events.js';
import { abandoned, originalTaskId, placementOf, isRoot, scopeOf, taskOf } from './event-parts.js';
import type { ExecutionSource } from './facts.js';
import { dueAfterFailure } from './retry.js';
import type { Claimed, Running } from './state.js';
import { taskIdOf } from './task-id.js';

// These two and the claim are written out member by member: they are decided for every job, and merging parts, or dropping what is
// undefined, costs several times more.
export const startAttempt = (command: StartAttempt, state: Claimed): JobEvent => {
  const { job, claim } = state;
  const source = sourceOf(command, state);
  const { wiki, type, shardingItem, enqueuedAt } = job.enqueued;
  const data: JobEventOf<'AttemptStarted'>['data'] = {
    wiki,
    type,
    from: state._tag,
    attempt: job.attempts + 1,
    taskId: taskIdOf({ type, shardingItem, source, runner: claim.runner, attemptId: command.attemptId }),
    executionSource: source,
    shardingItem,
    dueAt: claim.dueAt ?? enqueuedAt,
    startedAt: command.now,
    runner: claim.runner,
  };
  if (isRoot(job)) data.isRoot = true;
  const original = originalTaskId(job);
  if (original !== undefined) data.originalTaskId = original;
  return { type: 'AttemptStarted', data };
};

/** A job that nobody gave a time is never late: a backlog is not a misfire. */
const sourceOf = (command: StartAttempt, { job, claim }: Claimed): ExecutionSource => {
  if (job.losses > 0) return 'FAILOVER';
  const isLate =
    claim.dueAt !== undefined && millisecondsBetween(claim.dueAt, command.now) > command.misfireToleranceMs;
  return isLate && job.attempts === 0 ? 'MISFIRE' : 'NORMAL_TRIGGER';
};

export const succeedAttempt = (command: SucceedAttempt, state: Running): JobEvent => {
  const { job, attempt } = state;
  const { wiki, type, shardingItem, dedup, number } = job.enqueued;
  const data: JobEventOf<'AttemptSucceeded'>['data'] = {
    wiki,
    type,
    from: state._tag,
    attempt: attempt.number,
    taskId: attempt.taskId,
    executionSource: attempt.executionSource,
    shardingItem,
    dueAt: attempt.dueAt,
    startedAt: attempt.startedAt,
    completedAt: command.now,
    durationMs: command.durationMs,
    begunRevision: attempt.begunRevision.toString(),
  };
  if (isRoot(job)) data.isRoot = true;
  if (job.task?.originalTaskId !== undefined) data.originalTaskId = job.task.originalTaskId;
  if (job.ignoreDuplicates) {
    data.sha1 = dedup.sha1;
    data.number = number;
    if (job.root !== undefined) data.rootTimestamp = job.root.timestamp;
  }
  if (command.result !== undefined) data.result = command.result;
  if (command.spawned !== undefined) data.spawned = command.spawned;
  return { type: 'AttemptSucceeded', data };
};

export const isLastAttempt = ({ job }: Running): boolean => job.attempts >= job.retry.maxAttempts;

export const failAttempt = (command: FailAttempt, state: Running): readonly JobEvent[] => {
  const { job, attempt } = state;
  const next: 'retry' | 'abandon' = command.isRetryable && !isLastAttempt(state) ? 'retry' : 'abandon';
  const failed: JobEvent = {
    type: 'AttemptFailed',
    data: defined({
      ...scopeOf(state),
      isRoot: isRoot(job),
      originalTaskId: job.task?.originalTaskId,
      attempt: attempt.number,
      taskId: attempt.taskId,
      executionSource: attempt.executionSource,
      shardingItem: job.enqueued.shardingItem,
      dueAt: attempt.dueAt,
      startedAt: attempt.startedAt,
      completedAt: command.now,
      durationMs: command.durationMs,
      error: command.error,
      next,
    }),
  };
  if (next === 'abandon')
    return [failed, abandoned(state, command.isRetryable ? 'attempts-exhausted' : 'not-retryable')];
  const notBefore =
    command.delayMs === undefined
      ? dueAfterFailure(job.retry, job.attempts, command.random, command.now)
      : addMilliseconds(command.now, command.delayMs);
  return [
    failed,
    retryScheduled(state, notBefore, `attempt ${job.attempts} of ${job.retry.maxAttempts} failed`),
  ];
};

export const retryScheduled = (state: Claimed | Running, notBefore: string, why: string): JobEvent => ({
  type: 'RetryScheduled',
  data: {
    ...scopeOf(state),
    ...taskOf(state.job),
    notBefore,
    why,
    placement: placementOf(state.job),
  },
});
