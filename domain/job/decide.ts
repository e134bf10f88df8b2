/**
 * Every rule about one job, as a pure answer. Read with the diagram in README: each case below is an arrow of it. What a command
 * sets in motion is complete in one answer: a failure or a lost lease is followed by what comes of it (DESIGN.md §2.8).
 */
import * as E from 'fp-ts/lib/Either.js';
import { defined } from '../defined.js';
import type { JobCommand } from './commands.js';
import { failAttempt, startAttempt, succeedAttempt } from './decide-attempt.js';
import { claimJob } from './decide-claim.js';
import { expireLease } from './decide-expiry.js';
import { importJob } from './decide-import.js';
import { suppressDuplicate } from './decide-suppression.js';
import { storableText } from './error-facts.js';
import type { JobRejection } from './errors.js';
import type { JobEnqueued, JobEvent } from './events.js';
import { abandoned, dueAtOf, placementOf, releasedEvent, scopeOf, taskOf } from './event-parts.js';
import { hasEnded, type ExistingJob, type Job, type JobState } from './state.js';

export type Decision = E.Either<JobRejection, readonly JobEvent[]>;

export const decide = (command: JobCommand, state: JobState): Decision => {
  if (command._tag === 'EnqueueJob' || command._tag === 'ImportJob') {
    if (state._tag !== 'None') return E.left({ _tag: 'AlreadyEnqueued' });
    return E.right(
      command._tag === 'ImportJob' ? importJob(command) : [{ type: 'JobEnqueued', data: command.job }],
    );
  }
  return state._tag === 'None' ? E.left({ _tag: 'NoSuchJob' }) : decideExisting(command, state);
};

type LaterCommand = Exclude<JobCommand, { _tag: 'EnqueueJob' | 'ImportJob' }>;

const decideExisting = (command: LaterCommand, state: ExistingJob): Decision => {
  switch (command._tag) {
    case 'SuppressDuplicate':
      return state._tag === 'Waiting' && !state.job.everClaimed
        ? E.right([suppressDuplicate(command, state)])
        : E.left({ _tag: 'NotASurvivor', state: state._tag });
    case 'ClaimJob':
      if (state._tag !== 'Waiting') return E.left({ _tag: 'NotWaiting', state: state._tag });
      return isLater(state.notBefore, command.now)
        ? E.left({ _tag: 'NotDue', notBefore: state.notBefore })
        : E.right([claimJob(command, state)]);
    case 'CancelJob':
      return hasEnded(state)
        ? E.left({ _tag: 'HasEnded', state: state._tag })
        : E.right([cancelled(state, command.reason)]);
    case 'RequeueJob':
      return state._tag === 'Abandoned' || state._tag === 'Cancelled'
        ? E.right([requeued(state, command.why)])
        : E.left({ _tag: 'NotStopped', state: state._tag });
    case 'EraseJob':
      return E.right([erased(state, command.subject)]);
    default:
      return decideHeld(command, state);
  }
};

type HolderCommand = Exclude<
  LaterCommand,
  { _tag: 'SuppressDuplicate' | 'ClaimJob' | 'CancelJob' | 'RequeueJob' | 'EraseJob' }
>;

/** Commands that only the holder of the current claim may give; the token is the fence. */
const decideHeld = (command: HolderCommand, state: ExistingJob): Decision => {
  if ((state._tag !== 'Claimed' && state._tag !== 'Running') || state.claim.token !== command.token) {
    return E.left({ _tag: 'LeaseLost', held: command.token, current: currentToken(state) });
  }
  switch (command._tag) {
    case 'StartAttempt':
      return state._tag === 'Claimed'
        ? E.right([startAttempt(command, state)])
        : E.left({ _tag: 'AlreadyStarted' });
    case 'SucceedAttempt':
      return state._tag === 'Running'
        ? E.right([succeedAttempt(command, state)])
        : E.left({ _tag: 'NotStarted' });
    case 'FailAttempt':
      return state._tag === 'Running' ? E.right(failAttempt(command, state)) : E.left({ _tag: 'NotStarted' });
    case 'RefuseParams':
      return state._tag === 'Claimed'
        ? E.right([abandoned(state, 'not-retryable', command.error)])
        : E.left({ _tag: 'AlreadyStarted' });
    case 'ReleaseClaim':
      return E.right([releasedEvent(state, command)]);
    case 'ExpireLease':
      return expireLease(command, state);
  }
};

const currentToken = (state: ExistingJob): string | undefined =>
  state._tag === 'Claimed' || state._tag === 'Running' ? state.claim.token : undefined;

const isLater = (instant: string | undefined, now: string): instant is string =>
  instant !== undefined && instant > now;

const cancelled = (state: ExistingJob & { _tag: JobState['_tag'] }, reason: string): JobEvent => ({
  type: 'JobCancelled',
  data: {
    ...scopeOf(state),
    ...dueAtOf(state),
    ...taskOf(state.job),
    ...(state._tag === 'Running' ? { attempt: state.attempt.number } : {}),
    reason: storableText(reason),
  },
});

const requeued = (state: ExistingJob, why: string): JobEvent => ({
  type: 'JobRequeued',
  data: {
    ...scopeOf(state),
    ...taskOf(state.job),
    ...(state._tag === 'Cancelled' ? { enqueued: asItStands(state.job) } : {}),
    placement: placementOf(state.job, state.revision + 1n),
    why: storableText(why),
  },
});

/** The enqueue with what the job has inherited since. */
const asItStands = ({ enqueued, params, root, priority, retry, ...job }: Job): JobEnqueued => ({
  ...defined({ ...enqueued, hasOwnClass: job.hasOwnClass ? (true as const) : undefined }),
  params,
  class: job.class,
  priority,
  retry,
  ...(root === undefined ? {} : { root }),
});

const erased = (state: ExistingJob, subject: string): JobEvent => ({
  type: 'JobErased',
  data: {
    wiki: state.job.enqueued.wiki,
    type: state.job.enqueued.type,
    from: state._tag,
    subject,
    ended: hasEnded(state),
    ...dueAtOf(state),
    ...taskOf(state.job),
  },
});
