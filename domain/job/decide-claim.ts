/** A claim, or what takes its place where the work is covered elsewhere. Both rules err only towards running (DESIGN.md §2.10). */
import type { ClaimJob } from './commands.js';
import type { JobEvent, JobEventOf } from './events.js';
import { dueAtOf, isDeduplicated, scopeOf, taskOf } from './event-parts.js';
import type { RetryPolicy } from './facts.js';
import { samePolicy } from './retry.js';
import type { Job, Waiting } from './state.js';

export const claimJob = (command: ClaimJob, state: Waiting): JobEvent => {
  const { job } = state;
  const ignoreDuplicates = job.ignoreDuplicates || command.ignoreDuplicates;
  const covered = coverOf(command, state, ignoreDuplicates);
  if (covered !== undefined) return covered;
  const policy = policyInForce(job, command);
  const data: JobEventOf<'JobClaimed'>['data'] = {
    wiki: job.enqueued.wiki,
    type: job.enqueued.type,
    from: state._tag,
    token: command.token,
    claims: job.claims + 1,
    claimedAt: command.now,
    runner: command.runner,
    leaseExpiresAt: command.leaseExpiresAt,
  };
  if (state.notBefore !== undefined) data.dueAt = state.notBefore;
  if (!samePolicy(policy, job.retry)) data.retry = policy;
  if (ignoreDuplicates && !job.ignoreDuplicates) data.ignoreDuplicates = true;
  if (isDeduplicated(job)) data.isDeduplicated = true;
  return { type: 'JobClaimed', data };
};

/** A job enqueued in a caller's own transaction may have a position older than its commit: positions prove nothing about it. */
const coverOf = (
  { executedLater, newerRoot }: ClaimJob,
  state: Waiting,
  ignoreDuplicates: boolean,
): JobEvent | undefined => {
  const { enqueued, root, standsForOthers } = state.job;
  if (enqueued.inCallersTransaction) return undefined;
  if (ignoreDuplicates && executedLater !== undefined && coversRoot(executedLater, state))
    return superseded(state, 'executed-later', executedLater.jobId);
  return root !== undefined &&
    !standsForOthers &&
    newerRoot !== undefined &&
    newerRoot.timestamp > root.timestamp
    ? superseded(state, 'newer-root', newerRoot.jobId)
    : undefined;
};

/**
 * The handler's policy, unless it allows fewer attempts than have been made already: that would make a liar of the limit. A row that
 * was imported unclaimed with its attempts used up gets the one more that MediaWiki would give it.
 */
const policyInForce = (job: Job, command: ClaimJob): RetryPolicy => {
  const handlers = handlersPolicy(job, command);
  if (handlers.maxAttempts > job.attempts) return handlers;
  return job.retry.maxAttempts > job.attempts ? job.retry : { ...handlers, maxAttempts: job.attempts + 1 };
};

/** What the producer itself said of this one job goes before, but for a handler that allows no retries at all. */
const handlersPolicy = (
  { enqueued, retry }: Job,
  { retry: handlers, allowsRetries }: ClaimJob,
): RetryPolicy => {
  const own = enqueued.ownRetry;
  if (handlers === undefined) return retry;
  if (own === undefined || allowsRetries === false) return handlers;
  return {
    maxAttempts: own.includes('maxAttempts') ? enqueued.retry.maxAttempts : handlers.maxAttempts,
    backoff: own.includes('backoff') ? enqueued.retry.backoff : handlers.backoff,
  };
};

/** An equal job covers this one unless this one's root is newer: it would carry the newer stamp to its leaves. */
const coversRoot = (executed: { readonly rootTimestamp?: string | undefined }, { job }: Waiting): boolean =>
  job.root === undefined ||
  (executed.rootTimestamp !== undefined && executed.rootTimestamp >= job.root.timestamp);

const superseded = (state: Waiting, rule: 'executed-later' | 'newer-root', by: string): JobEvent => ({
  type: 'JobSuperseded',
  data: { ...scopeOf(state), ...dueAtOf(state), ...taskOf(state.job), rule, by },
});
