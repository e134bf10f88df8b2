/** What is known of a job after its events so far. Each state is a shape of its own, so that none can be half-true. */
import type { Revision } from '../ledger.js';
import type { JobEnqueued } from './events.js';
import {
  inheritedClass,
  type ErrorFacts,
  type JobClass,
  type RetryPolicy,
  type Root,
  type Runner,
  type Task,
} from './facts.js';
import type { JsonObject } from '../json.js';

export interface Job {
  /** As enqueued; what was inherited since is in the members beside it. */
  readonly enqueued: JobEnqueued;
  readonly params: JsonObject;
  readonly root: Root | undefined;
  readonly class: JobClass;
  /** Normal because somebody said so, not for want of a class. */
  readonly hasOwnClass: boolean;
  readonly priority: number;
  readonly retry: RetryPolicy;
  /** Starts since the enqueue or the last requeue; what the retry limit counts. */
  readonly attempts: number;
  /** Claims not given back; what `job_attempts` shows. */
  readonly claims: number;
  readonly everClaimed: boolean;
  /** Leases lost in a row. */
  readonly losses: number;
  readonly suppressed: number;
  /** It answers for a job that is not of its root's family, and that no newer root of it covers. */
  readonly standsForOthers: boolean;
  /** The last attempt's names; undefined until the first start. */
  readonly task: Task | undefined;
  /** Revision of `JobEnqueued`, or of the last `JobRequeued`: what stands behind it came later. */
  readonly enqueuedRevision: Revision;
  /** Revision of what last asked for this work: its enqueue, its last requeue, or the last equal enqueue that it answers for. */
  readonly wantedRevision: Revision;
  readonly lastError: ErrorFacts | undefined;
  readonly ignoreDuplicates: boolean;
}

export const newJob = (enqueued: JobEnqueued): Job => {
  const placed = inheritedClass({}, enqueued);
  return {
    enqueued,
    params: enqueued.params,
    root: enqueued.root,
    class: placed.class,
    hasOwnClass: placed.hasOwnClass,
    priority: enqueued.priority,
    retry: enqueued.retry,
    attempts: enqueued.imported?.attempts ?? 0,
    claims: enqueued.imported?.attempts ?? 0,
    everClaimed: enqueued.imported !== undefined && enqueued.imported.attempts > 0,
    losses: 0,
    suppressed: 0,
    standsForOthers: false,
    task: undefined,
    enqueuedRevision: 0n,
    wantedRevision: 0n,
    lastError: undefined,
    ignoreDuplicates: enqueued.dedup.ignoreDuplicates,
  };
};

export type Draft<A> = { -readonly [K in keyof A]: A[K] };

/**
 * A copy to be changed. Every job passes here three times: member by member, since a spread whose members are then given anew
 * takes the engine's slow way, for the copy and for everybody who reads it.
 */
export const draftOf = (job: Job): Draft<Job> => ({
  enqueued: job.enqueued,
  params: job.params,
  root: job.root,
  class: job.class,
  hasOwnClass: job.hasOwnClass,
  priority: job.priority,
  retry: job.retry,
  attempts: job.attempts,
  claims: job.claims,
  everClaimed: job.everClaimed,
  losses: job.losses,
  suppressed: job.suppressed,
  standsForOthers: job.standsForOthers,
  task: job.task,
  enqueuedRevision: job.enqueuedRevision,
  wantedRevision: job.wantedRevision,
  lastError: job.lastError,
  ignoreDuplicates: job.ignoreDuplicates,
});

export interface Claim {
  readonly token: string;
  readonly runner: Runner;
  readonly claimedAt: string;
  readonly leaseExpiresAt: string;
  /** When the job was due; undefined where nobody said. */
  readonly dueAt: string | undefined;
}

export interface Attempt {
  readonly number: number;
  readonly taskId: string;
  readonly executionSource: 'NORMAL_TRIGGER' | 'MISFIRE' | 'FAILOVER';
  readonly dueAt: string;
  readonly startedAt: string;
  readonly begunRevision: Revision;
}

interface Known {
  readonly revision: Revision;
  readonly job: Job;
}

export type Waiting = Known & { readonly _tag: 'Waiting'; readonly notBefore: string | undefined };
export type Claimed = Known & { readonly _tag: 'Claimed'; readonly claim: Claim };
export type Running = Known & { readonly _tag: 'Running'; readonly claim: Claim; readonly attempt: Attempt };
export type Succeeded = Known & { readonly _tag: 'Succeeded'; readonly begunRevision: Revision };
export type Abandoned = Known & {
  readonly _tag: 'Abandoned';
  readonly reason: 'attempts-exhausted' | 'not-retryable' | 'lease-lost';
};
export type Cancelled = Known & { readonly _tag: 'Cancelled'; readonly reason: string };
export type Superseded = Known & { readonly _tag: 'Superseded'; readonly by: string };

export type ExistingJob = Waiting | Claimed | Running | Succeeded | Abandoned | Cancelled | Superseded;
export type JobState = { readonly _tag: 'None' } | ExistingJob;

export const noJob: JobState = { _tag: 'None' };

export const isHeld = (state: JobState): state is Claimed | Running =>
  state._tag === 'Claimed' || state._tag === 'Running';

export const hasEnded = (state: ExistingJob): boolean =>
  state._tag === 'Succeeded' ||
  state._tag === 'Abandoned' ||
  state._tag === 'Cancelled' ||
  state._tag === 'Superseded';
