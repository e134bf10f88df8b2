/** An attempt: begun, and ended by success or failure. Attempts are counted when they start. */
import { defined } from '../defined.js';
import { millisecondsBetween } from '../instant.js';
import type { FailAttempt, StartAttempt, SucceedAttempt } from './commands.js';
import type { JobEvent } from './events.js';
import { abandoned, originalTaskId, placementOf, rootMark, scopeOf, taskOf } from './event-parts.js';
import type { ExecutionSource, Task } from './facts.js';
import { dueAfterFailure } from './retry.js';
import type { Claimed, Running } from './state.js';
import { taskIdOf } from './task-id.js';

export const startAttempt = (command: StartAttempt, state: Claimed): JobEvent => {
  const { job, claim } = state;
  const source = sourceOf(command, state);
  const { type, shardingItem } = job.enqueued;
  const taskId = taskIdOf({ type, shardingItem, source, runner: claim.runner, attemptId: command.attemptId });
  return {
    type: 'AttemptStarted',
    data: defined({
      ...scopeOf(state),
      ...rootMark(job),
      attempt: job.attempts + 1,
      taskId,
      originalTaskId: originalTaskId(job),
      executionSource: source,
      shardingItem,
      dueAt: claim.dueAt ?? job.enqueued.enqueuedAt,
      startedAt: command.now,
      runner: claim.runner,
    }),
  };
};

/** A job that nobody gave a time is never late: a backlog is not a misfire. */
const sourceOf = (command: StartAttempt, { job, claim }: Claimed): ExecutionSource => {
  if (job.losses > 0) return 'FAILOVER';
  const isLate =
    claim.dueAt !== undefined && millisecondsBetween(claim.dueAt, command.now) > command.misfireToleranceMs;
  return isLate && job.attempts === 0 ? 'MISFIRE' : 'NORMAL_TRIGGER';
};

const attemptFacts = (state: Running, now: string, durationMs: number) => ({
  ...scopeOf(state),
  ...rootMark(state.job),
  ...(state.job.task?.originalTaskId === undefined ? {} : { originalTaskId: state.job.task.originalTaskId }),
  attempt: state.attempt.number,
  taskId: state.attempt.taskId,
  executionSource: state.attempt.executionSource,
  shardingItem: state.job.enqueued.shardingItem,
  dueAt: state.attempt.dueAt,
  startedAt: state.attempt.startedAt,
  completedAt: now,
  durationMs,
});

export const succeedAttempt = (command: SucceedAttempt, state: Running): JobEvent => {
  const { job, attempt } = state;
  const { dedup, number } = job.enqueued;
  const isDeduplicated = job.ignoreDuplicates;
  return {
    type: 'AttemptSucceeded',
    data: defined({
      ...attemptFacts(state, command.now, command.durationMs),
      begunRevision: attempt.begunRevision,
      sha1: isDeduplicated ? dedup.sha1 : undefined,
      number: isDeduplicated ? number.toString() : undefined,
      rootTimestamp: isDeduplicated ? job.root?.timestamp : undefined,
      result: command.result,
      spawned: command.spawned,
    }),
  };
};

export const failAttempt = (command: FailAttempt, state: Running): readonly JobEvent[] => {
  const { job } = state;
  const isExhausted = job.attempts >= job.retry.maxAttempts;
  const next = command.isRetryable && !isExhausted ? 'retry' : 'abandon';
  const failed: JobEvent = {
    type: 'AttemptFailed',
    data: { ...attemptFacts(state, command.now, command.durationMs), error: command.error, next },
  };
  if (next === 'abandon')
    return [failed, abandoned(state, command.isRetryable ? 'attempts-exhausted' : 'not-retryable')];
  const notBefore = dueAfterFailure(job.retry, job.attempts, command.random, command.now);
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

export type { Task };
