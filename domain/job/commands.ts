/** What can be asked of a job. Time, ids, randomness and what was looked up elsewhere are handed in as values. */
import type { Json, JsonObject } from '../json.js';
import type { JobEnqueued } from './events.js';
import type { ErrorFacts, JobClass, RetryPolicy, Root, Runner } from './facts.js';

export interface EnqueueJob {
  readonly _tag: 'EnqueueJob';
  readonly job: JobEnqueued;
}

/** A row of a MediaWiki `job` table: enqueued, and claimed or abandoned as it was there. */
export interface ImportJob {
  readonly _tag: 'ImportJob';
  readonly job: JobEnqueued;
  /** Missing where the row was not claimed. */
  readonly claim?: { readonly token: string; readonly claimedAt: string; readonly leaseExpiresAt: string };
  readonly isAbandoned: boolean;
}

/** An equal enqueue meets this job: what it brings may change the survivor. */
export interface SuppressDuplicate {
  readonly _tag: 'SuppressDuplicate';
  readonly now: string;
  readonly producer: string;
  /** The id that the producer chose for the suppressed job, if it did. */
  readonly jobId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly params: JsonObject;
  readonly paramsDigest: string;
  readonly root?: Root | undefined;
  readonly class: JobClass;
  readonly hasOwnClass?: boolean | undefined;
  readonly priority: number;
  /** Undefined counts as now. */
  readonly notBefore?: string | undefined;
}

export interface ClaimJob {
  readonly _tag: 'ClaimJob';
  readonly token: string;
  readonly now: string;
  readonly runner: Runner;
  readonly leaseExpiresAt: string;
  /** The handler's policy, where it has one. */
  readonly retry?: RetryPolicy | undefined;
  /** False: the handler allows one attempt, whatever the enqueue says. */
  readonly allowsRetries?: boolean | undefined;
  readonly ignoreDuplicates: boolean;
  /** An equal job that has succeeded in an attempt begun behind what last asked for this one, if there is one. */
  readonly executedLater?:
    { readonly jobId: string; readonly rootTimestamp?: string | undefined } | undefined;
  /** Another root of the family, read from its own stream, with a later timestamp, that does this job's work after it was asked for. */
  readonly newerRoot?: { readonly jobId: string; readonly timestamp: string } | undefined;
}

export interface StartAttempt {
  readonly _tag: 'StartAttempt';
  readonly token: string;
  readonly now: string;
  readonly attemptId: string;
  readonly misfireToleranceMs: number;
}

export interface SucceedAttempt {
  readonly _tag: 'SucceedAttempt';
  readonly token: string;
  readonly now: string;
  readonly durationMs: number;
  readonly result?: Json | undefined;
  readonly spawned?: readonly JsonObject[] | undefined;
}

export interface FailAttempt {
  readonly _tag: 'FailAttempt';
  readonly token: string;
  readonly now: string;
  readonly durationMs: number;
  readonly error: ErrorFacts;
  readonly isRetryable: boolean;
  /** 0 … 1, for the jitter. */
  readonly random: number;
  /** Where the handler itself says how long to wait: milliseconds, as they are. */
  readonly delayMs?: number | undefined;
}

/** The handler's codec refuses the params: no attempt can ever do better. */
export interface RefuseParams {
  readonly _tag: 'RefuseParams';
  readonly token: string;
  readonly error: ErrorFacts;
}

export interface ReleaseClaim {
  readonly _tag: 'ReleaseClaim';
  readonly token: string;
  readonly now: string;
  readonly why: string;
  /** Where the handler put the job off. */
  readonly notBefore?: string | undefined;
}

export interface ExpireLease {
  readonly _tag: 'ExpireLease';
  readonly token: string;
  readonly now: string;
  /** Until when the runner had renewed; undefined where nothing is known of it. */
  readonly renewedUntil?: string | undefined;
  readonly random: number;
}

export interface CancelJob {
  readonly _tag: 'CancelJob';
  readonly reason: string;
}

export interface RequeueJob {
  readonly _tag: 'RequeueJob';
  readonly why: string;
}

export interface EraseJob {
  readonly _tag: 'EraseJob';
  readonly subject: string;
}

export type JobCommand =
  | EnqueueJob
  | ImportJob
  | SuppressDuplicate
  | ClaimJob
  | StartAttempt
  | SucceedAttempt
  | FailAttempt
  | RefuseParams
  | ReleaseClaim
  | ExpireLease
  | CancelJob
  | RequeueJob
  | EraseJob;
