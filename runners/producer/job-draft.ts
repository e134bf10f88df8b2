/** A job about to be enqueued: checked, with its id, its hash and its family, but without its number. */
import * as E from 'fp-ts/lib/Either.js';
import { newId, sha1Hex } from '../../adapters/system.js';
import { canonical, jobSha1 } from '../../domain/job/dedup-info.js';
import type { JobEnqueued } from '../../domain/job/events.js';
import { retryPolicy } from '../../domain/job/retry.js';
import { rootOf, withRootTimestamp } from '../../domain/job/root.js';
import type { Root } from '../../domain/job/facts.js';
import {
  checkSpecification,
  type CheckedSpecification,
  type InvalidSpecification,
} from '../../domain/job/specification.js';

export const DEFAULT_LEASE_SECONDS = 30;

export interface Draft extends CheckedSpecification {
  readonly id: string;
  /** True where the producer chose the id: an equal id then means the same job. */
  readonly hasOwnId: boolean;
  readonly sha1: string;
  readonly root: Root | undefined;
  readonly now: string;
}

const hashOf = jobSha1(sha1Hex);

// Member by member, as the event below: the engine makes a new shape of each spread that members are added to, and every job passes here.
export const draft = (checked: CheckedSpecification, now: string): Draft => {
  const { type, namespace, title, params, dedupKey } = checked;
  return {
    type,
    wiki: checked.wiki,
    namespace,
    title,
    params,
    class: checked.class,
    hasOwnClass: checked.hasOwnClass,
    priority: checked.priority,
    notBefore: stillToCome(checked.notBefore, now),
    jobId: checked.jobId,
    ignoreDuplicates: checked.ignoreDuplicates,
    dedupKey,
    maxAttempts: checked.maxAttempts,
    backoff: checked.backoff,
    requestId: checked.requestId,
    id: checked.jobId ?? newId(),
    hasOwnId: checked.jobId !== undefined,
    sha1: hashOf({ type, namespace, title, dedupKey, params: canonical(params) }),
    root: rootOf(params),
    now,
  };
};

/** A job is ready from its enqueue on at the earliest: a time that has passed by then is none. */
const stillToCome = (notBefore: string | undefined, now: string): string | undefined =>
  notBefore !== undefined && notBefore > now ? notBefore : undefined;

/** The draft of what a producer says, or its first flaw. */
export const checkedDraft = (specification: unknown, now: string): E.Either<InvalidSpecification, Draft> =>
  E.map((checked: CheckedSpecification) => draft(checked, now))(checkSpecification(specification));

/** A root that says it is older than one of its family that has begun already is as new as that one. */
export const raisedTo = (job: Draft, timestamp: string): Draft =>
  job.root === undefined || job.root.timestamp >= timestamp
    ? job
    : { ...job, root: { ...job.root, timestamp }, params: withRootTimestamp(job.params, timestamp) };

export const enqueuedEvent = (job: Draft, number: bigint): JobEnqueued => {
  const event: JobEnqueued = {
    wiki: job.wiki,
    type: job.type,
    number: number.toString(),
    params: job.params,
    dedup: { ignoreDuplicates: job.ignoreDuplicates, sha1: job.sha1 },
    class: job.class,
    priority: job.priority,
    retry: retryPolicy({ maxAttempts: job.maxAttempts, backoff: job.backoff }),
    leaseSeconds: DEFAULT_LEASE_SECONDS,
    shardingItem: 0,
    enqueuedAt: job.now,
    inCallersTransaction: false,
  };
  if (job.namespace !== undefined) event.namespace = job.namespace;
  if (job.title !== undefined) event.title = job.title;
  if (job.root !== undefined) event.root = job.root;
  if (job.hasOwnClass) event.hasOwnClass = true;
  if (job.notBefore !== undefined) event.notBefore = job.notBefore;
  if (job.maxAttempts !== undefined || job.backoff !== undefined) event.ownRetry = ownRetry(job);
  if (job.requestId !== undefined) event.requestId = job.requestId;
  return event;
};

const ownRetry = ({ maxAttempts, backoff }: Draft): NonNullable<JobEnqueued['ownRetry']> => [
  ...(maxAttempts === undefined ? [] : (['maxAttempts'] as const)),
  ...(backoff === undefined ? [] : (['backoff'] as const)),
];
