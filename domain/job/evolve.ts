/** The fold: what each event makes of a job. An event that cannot follow its state is a fault in history, and is named. */
import * as E from 'fp-ts/lib/Either.js';
import type { JobEvent, JobEventOf } from './events.js';
import { inheritedClass } from './facts.js';
import {
  draftOf,
  newJob,
  type Attempt,
  type Claim,
  type ExistingJob,
  type Job,
  type JobState,
} from './state.js';

export interface ImpossibleEvent {
  readonly _tag: 'ImpossibleEvent';
  readonly event: JobEvent['type'];
  readonly state: JobState['_tag'];
}

export const evolve = (state: JobState, event: JobEvent): E.Either<ImpossibleEvent, JobState> => {
  const next = state._tag === 'None' ? begin(event) : advance(state, event);
  return next === undefined
    ? E.left({ _tag: 'ImpossibleEvent', event: event.type, state: state._tag })
    : E.right(next);
};

const begin = (event: JobEvent): JobState | undefined =>
  event.type === 'JobEnqueued'
    ? { _tag: 'Waiting', revision: 0n, job: newJob(event.data), notBefore: event.data.notBefore }
    : undefined;

/** Undefined where the event cannot follow. */
const advance = (state: ExistingJob, event: JobEvent): JobState | undefined => {
  const revision = state.revision + 1n;
  const { job } = state;
  switch (event.type) {
    case 'JobEnqueued':
      return undefined;
    case 'DuplicateSuppressed':
      return state._tag === 'Waiting' ? inherit(state, event, revision) : undefined;
    case 'JobClaimed':
      return state._tag === 'Waiting' ? claimed(job, event, revision) : undefined;
    case 'AttemptStarted':
      return state._tag === 'Claimed' ? started(state, event, revision) : undefined;
    case 'AttemptSucceeded':
      return state._tag === 'Running' ? succeeded(job, event, revision) : undefined;
    case 'AttemptFailed':
      return state._tag === 'Running'
        ? { ...state, revision, job: { ...job, losses: 0, lastError: event.data.error } }
        : undefined;
    case 'LeaseExpired':
      return state._tag === 'Claimed' || state._tag === 'Running'
        ? { ...state, revision, job: { ...job, losses: job.losses + 1 } }
        : undefined;
    default:
      return moved(state, event, revision);
  }
};

type Moving = Exclude<
  JobEvent['type'],
  | 'JobEnqueued'
  | 'DuplicateSuppressed'
  | 'JobClaimed'
  | 'AttemptStarted'
  | 'AttemptSucceeded'
  | 'AttemptFailed'
  | 'LeaseExpired'
>;

const moved = (
  state: ExistingJob,
  event: Extract<JobEvent, { type: Moving }>,
  revision: bigint,
): JobState | undefined => {
  const { job } = state;
  const isHeld = state._tag === 'Claimed' || state._tag === 'Running';
  switch (event.type) {
    case 'RetryScheduled':
      return isHeld ? { _tag: 'Waiting', revision, job, notBefore: event.data.notBefore } : undefined;
    case 'JobReleased':
      return isHeld
        ? {
            _tag: 'Waiting',
            revision,
            job: released(state, event.data.claims),
            notBefore: event.data.notBefore,
          }
        : undefined;
    case 'JobSuperseded':
      return state._tag === 'Waiting' ? { _tag: 'Superseded', revision, job, by: event.data.by } : undefined;
    case 'JobAbandoned':
      return isHeld
        ? {
            _tag: 'Abandoned',
            revision,
            job: { ...job, lastError: event.data.error ?? job.lastError },
            reason: event.data.reason,
          }
        : undefined;
    case 'JobCancelled':
      return isHeld || state._tag === 'Waiting'
        ? { _tag: 'Cancelled', revision, job, reason: event.data.reason }
        : undefined;
    case 'JobRequeued':
      return state._tag === 'Abandoned' || state._tag === 'Cancelled'
        ? {
            _tag: 'Waiting',
            revision,
            job: {
              ...job,
              attempts: 0,
              claims: 0,
              losses: 0,
              enqueuedRevision: revision,
              wantedRevision: revision,
            },
            notBefore: undefined,
          }
        : undefined;
    case 'JobErased':
      return event.data.ended
        ? { ...state, revision }
        : { _tag: 'Cancelled', revision, job, reason: 'erased' };
  }
};

/** An interrupted attempt is not counted; a claim that had not begun never was. */
const released = (state: ExistingJob, claims: number): Job => ({
  ...state.job,
  claims,
  attempts: state._tag === 'Running' ? state.job.attempts - 1 : state.job.attempts,
});

const inherit = (
  state: Extract<JobState, { _tag: 'Waiting' }>,
  { data }: JobEventOf<'DuplicateSuppressed'>,
  revision: bigint,
): JobState => {
  const { job } = state;
  const { inherited } = data;
  const renewed = inherited.rootTimestamp;
  return {
    _tag: 'Waiting',
    revision,
    notBefore: inherited.notBefore ?? state.notBefore,
    job: {
      ...job,
      ...inheritedClass(inherited, job),
      priority: inherited.priority ?? job.priority,
      root: job.root !== undefined && renewed !== undefined ? { ...job.root, timestamp: renewed } : job.root,
      params: data.renewed?.params ?? job.params,
      suppressed: job.suppressed + 1,
      wantedRevision: revision,
      standsForOthers: job.standsForOthers || data.isOfOtherFamily === true,
    },
  };
};

const claimed = (before: Job, { data }: JobEventOf<'JobClaimed'>, revision: bigint): JobState => {
  const claim: Claim = {
    token: data.token,
    runner: data.runner,
    claimedAt: data.claimedAt,
    leaseExpiresAt: data.leaseExpiresAt,
    dueAt: data.dueAt,
  };
  const job = draftOf(before);
  job.claims = data.claims;
  job.everClaimed = true;
  job.retry = data.retry ?? before.retry;
  job.ignoreDuplicates = data.ignoreDuplicates ?? before.ignoreDuplicates;
  return { _tag: 'Claimed', revision, job, claim };
};

const started = (
  state: Extract<JobState, { _tag: 'Claimed' }>,
  { data }: JobEventOf<'AttemptStarted'>,
  revision: bigint,
): JobState => {
  const { taskId, originalTaskId } = data;
  const attempt: Attempt = {
    number: data.attempt,
    taskId,
    executionSource: data.executionSource,
    dueAt: data.dueAt,
    startedAt: data.startedAt,
    begunRevision: revision,
  };
  const job = draftOf(state.job);
  job.attempts = data.attempt;
  job.task = originalTaskId === undefined ? { taskId } : { taskId, originalTaskId };
  return { _tag: 'Running', revision, job, claim: state.claim, attempt };
};

const succeeded = (before: Job, { data }: JobEventOf<'AttemptSucceeded'>, revision: bigint): JobState => {
  const job = draftOf(before);
  job.losses = 0;
  return { _tag: 'Succeeded', revision, job, begunRevision: BigInt(data.begunRevision) };
};
