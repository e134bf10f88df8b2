/**
 * The events of a job's stream, one codec each; types are derived from the codecs. Data are plain JSON: what is decoded is what is stored. `from` is the state a moving event leaves.
 * A job (one deferred piece of work) is the fold of these. Words: DESIGN.md §3; diagram: README.
 */
import * as t from 'io-ts';
import { Json, JsonObject } from '../json.js';
import { DecimalString } from '../ledger.js';
import {
  ActiveState,
  Dedup,
  ErrorFacts,
  ExecutionSource,
  Imported,
  JobClass,
  Placement,
  RetryPolicy,
  Root,
  Runner,
  Task,
} from './facts.js';

const queue = { wiki: t.string, type: t.string };
const moved = { ...queue, from: ActiveState };

export const JobEnqueued = t.intersection([
  t.type({
    ...queue,
    number: DecimalString,
    params: JsonObject,
    dedup: Dedup,
    class: JobClass,
    priority: t.number,
    retry: RetryPolicy,
    leaseSeconds: t.number,
    shardingItem: t.number,
    enqueuedAt: t.string,
    inCallersTransaction: t.boolean,
  }),
  t.partial({
    namespace: t.number,
    title: t.string,
    root: Root,
    notBefore: t.string,
    /** The class is the normal one because the producer said so, not because nothing was said: it overrides the queue's. */
    hasOwnClass: t.literal(true),
    schedule: t.type({ name: t.string, slot: t.string }),
    requestId: t.string,
    imported: Imported,
    /** What of `retry` the producer said itself: that goes before the handler's policy. */
    ownRetry: t.readonlyArray(t.keyof({ maxAttempts: null, backoff: null })),
  }),
]);
export type JobEnqueued = t.TypeOf<typeof JobEnqueued>;

export const Inherited = t.partial({
  rootTimestamp: t.string,
  class: JobClass,
  hasOwnClass: t.literal(true),
  priority: t.number,
  notBefore: t.string,
});
export type Inherited = t.TypeOf<typeof Inherited>;

/** On the survivor's stream: an equal enqueue was answered with it. `inherited` holds only what changes the survivor. */
export const DuplicateSuppressed = t.intersection([
  t.type({ ...queue, producer: t.string, at: t.string, inherited: Inherited, placement: Placement }),
  t.partial({
    /** The id that the producer had chosen for the suppressed job: whoever asks with it again is answered with the survivor. */
    jobId: t.string,
    requestId: t.string,
    params: JsonObject,
    paramsDigest: t.string,
    /** The survivor's params from now on, where it inherited a newer root timestamp, and the page they go with. */
    renewed: t.intersection([
      t.type({ params: JsonObject }),
      t.partial({ namespace: t.number, title: t.string }),
    ]),
    /** Due time before and after, where it moved. */
    dueBefore: t.string,
    dueAfter: t.string,
    /** The survivor belongs to a root's family, the suppressed job to another or to none. */
    isOfOtherFamily: t.literal(true),
  }),
]);

/** `token` is this event's id as 32 hex digits. `claims` counts claims not given back, this one included. */
export const JobClaimed = t.intersection([
  t.type({
    ...moved,
    token: t.string,
    claims: t.number,
    claimedAt: t.string,
    runner: Runner,
    leaseExpiresAt: t.string,
  }),
  t.partial({
    dueAt: t.string,
    /** Policy in force for this claim, where the handler's differs from the one enqueued. */
    retry: RetryPolicy,
    /** The handler ignores duplicates though the enqueue did not say so. */
    ignoreDuplicates: t.literal(true),
    imported: t.literal(true),
    /** The job takes part in deduplication: it has a row there to give up. */
    isDeduplicated: t.literal(true),
  }),
]);

const attempt = {
  ...moved,
  attempt: t.number,
  taskId: t.string,
  executionSource: ExecutionSource,
  shardingItem: t.number,
  dueAt: t.string,
  startedAt: t.string,
};
const attemptOptions = { originalTaskId: t.string, isRoot: t.literal(true) };

export const AttemptStarted = t.intersection([
  t.type({ ...attempt, runner: Runner }),
  t.partial(attemptOptions),
]);

const ended = { ...attempt, completedAt: t.string, durationMs: t.number };

/** `begunRevision` is the revision of this attempt's `AttemptStarted`; `sha1` is there where duplicates are ignored. */
export const AttemptSucceeded = t.intersection([
  t.type({ ...ended, begunRevision: DecimalString }),
  t.partial({
    ...attemptOptions,
    number: t.string,
    sha1: t.string,
    rootTimestamp: t.string,
    result: Json,
    spawned: t.readonlyArray(JsonObject),
  }),
]);

export const AttemptFailed = t.intersection([
  t.type({ ...ended, error: ErrorFacts, next: t.keyof({ retry: null, abandon: null }) }),
  t.partial(attemptOptions),
]);

/** Names of the last attempt; before the first start, the item of a job that is sharded. */
const lastTask = { task: Task, shardingItem: t.number };

export const RetryScheduled = t.intersection([
  t.type({ ...moved, notBefore: t.string, why: t.string, placement: Placement }),
  t.partial({ ...lastTask }),
]);

/** The claim given back unrun or interrupted; not counted. `notBefore` is there where the handler put the job off. */
export const JobReleased = t.intersection([
  t.type({ ...moved, why: t.string, claims: t.number, placement: Placement }),
  t.partial({
    ...lastTask,
    attempt: t.number,
    startedAt: t.string,
    completedAt: t.string,
    notBefore: t.string,
  }),
]);

export const LeaseExpired = t.intersection([
  t.type({
    ...moved,
    token: t.string,
    runner: Runner,
    leaseExpiresAt: t.string,
    next: t.keyof({ retry: null, abandon: null }),
  }),
  t.partial({ ...lastTask, attempt: t.number, startedAt: t.string, lastRenewal: t.string }),
]);

/** `by` is the job that covers this one. */
export const JobSuperseded = t.intersection([
  t.type({ ...moved, rule: t.keyof({ 'executed-later': null, 'newer-root': null }), by: t.string }),
  t.partial({ dueAt: t.string, ...lastTask }),
]);

export const JobAbandoned = t.intersection([
  t.type({
    ...moved,
    reason: t.keyof({ 'attempts-exhausted': null, 'not-retryable': null, 'lease-lost': null }),
    attempts: t.number,
  }),
  t.partial({ ...lastTask, error: ErrorFacts, imported: t.literal(true) }),
]);

export const JobCancelled = t.intersection([
  t.type({ ...moved, reason: t.string }),
  t.partial({ dueAt: t.string, ...lastTask, attempt: t.number }),
]);

export const JobRequeued = t.intersection([
  t.type({ ...moved, why: t.string, placement: Placement }),
  t.partial({
    ...lastTask,
    /** The whole job, where the tables had let go of it. */
    enqueued: JobEnqueued,
  }),
]);

/** `ended` tells whether the job had come to its end before; one that had not ends here. */
export const JobErased = t.intersection([
  t.type({ ...queue, from: t.string, subject: t.string, ended: t.boolean }),
  t.partial({ dueAt: t.string, ...lastTask }),
]);

export const jobEventCodecs = {
  JobEnqueued,
  DuplicateSuppressed,
  JobClaimed,
  AttemptStarted,
  AttemptSucceeded,
  AttemptFailed,
  RetryScheduled,
  JobReleased,
  LeaseExpired,
  JobSuperseded,
  JobAbandoned,
  JobCancelled,
  JobRequeued,
  JobErased,
} as const;

type Codecs = typeof jobEventCodecs;
export type JobEventType = keyof Codecs;
export type JobEventOf<T extends JobEventType> = { readonly type: T; readonly data: t.TypeOf<Codecs[T]> };
export type JobEvent = { [T in JobEventType]: JobEventOf<T> }[JobEventType];
