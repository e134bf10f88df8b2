/** What a person does to one job: decided on its own stream, with who and why, and told to the runner that holds it. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { newId } from '../../adapters/system.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import type { JobCommand } from '../../domain/job/commands.js';
import { decide, type Decision } from '../../domain/job/decide.js';
import type { JobEvent } from '../../domain/job/events.js';
import { advanceJob } from '../../domain/job/fold.js';
import { isHeld, type ExistingJob, type Waiting } from '../../domain/job/state.js';
import { jobStream } from '../../domain/ledger.js';
import type { JobNotFound, OperationRefused } from '../library/error-sentences.js';
import type { Ledger } from '../ledger.js';
import { envelope } from '../streams/event-envelope.js';
import { loadJob } from '../streams/job-streams.js';
import { appendPersistently, storeErrorOf } from '../streams/persistent-append.js';

export interface OperationOptions {
  /** Why, as the event tells; default: that no reason was given. */
  readonly reason?: string | undefined;
  /** Who, as the event's metadata tell; default: whoever opened the ledger. */
  readonly by?: string | undefined;
}

export type OperationError = StoreError | JobNotFound | OperationRefused;
export type OperationSite = Pick<Ledger, 'store' | 'clock' | 'summon' | 'by'>;

export const NO_REASON = 'no reason was given';
const MOST_CONFLICTS = 5;

/** The job as the operation leaves it. */
export type Operated = TaskEither<OperationError, ExistingJob>;

/** The job is read, decided on and appended to at the revision read; where it moved meanwhile, all that again. */
export const operate =
  (
    site: OperationSite,
    jobId: string,
    decision: (state: ExistingJob) => Decision,
    { by = site.by }: OperationOptions,
  ): Operated =>
  async () => {
    const commandId = newId();
    for (let conflicts = 0; conflicts <= MOST_CONFLICTS; conflicts += 1) {
      const state = await loadJob(site.store, jobId);
      if (E.isLeft(state)) return state;
      if (state.right._tag === 'None') return E.left({ _tag: 'JobNotFound', jobId });
      const decided = decision(state.right);
      if (E.isLeft(decided)) return E.left({ _tag: 'OperationRefused', jobId, rejection: decided.left });
      const events = envelope(decided.right, { commandId, by, occurredAt: site.clock.now() });
      const append = { stream: jobStream(jobId), expected: state.right.revision, events };
      const outcomes = await appendPersistently(site.store, [append]);
      if (E.isLeft(outcomes)) return outcomes;
      const [outcome = E.left(rejected('the append was not answered'))] = outcomes.right;
      if (E.isRight(outcome)) {
        if (isHeld(state.right)) await site.summon(jobId);
        const after = advanceJob(state.right, decided.right);
        return E.right(after._tag === 'None' ? state.right : after);
      }
      if (outcome.left._tag !== 'Conflict') return E.left(storeErrorOf(outcome.left));
    }
    return E.left(rejected(`job ${jobId} moved ${MOST_CONFLICTS} times meanwhile: try again`));
  };

/** A job that was stopped, or waits for a later time, is made ready, its attempts counted from 0. */
export const retryJob = (site: OperationSite, jobId: string, options: OperationOptions = {}): Operated =>
  operate(
    site,
    jobId,
    (state) =>
      state._tag === 'Waiting' ? retryNow(state, site.clock.now(), options) : decide(requeue(options), state),
    options,
  );

/** Its waiting ends, and it begins anew: both in one append. */
const retryNow = (state: Waiting, now: string, options: OperationOptions): Decision => {
  if (state.notBefore === undefined || state.notBefore <= now) return E.left({ _tag: 'ReadyAlready' });
  const stopped = decide({ _tag: 'CancelJob', reason: 'its waiting is over, it is retried now' }, state);
  if (E.isLeft(stopped)) return stopped;
  const again = decide(requeue(options), advanceJob(state, stopped.right));
  return E.map((events: readonly JobEvent[]) => [...stopped.right, ...events])(again);
};

export const requeue = ({ reason = NO_REASON }: OperationOptions): JobCommand => ({
  _tag: 'RequeueJob',
  why: reason,
});

/** A job that has not ended ends here. Where it runs, its handler's signal fires, and what it reports is not taken. */
export const cancelJob = (
  site: OperationSite,
  jobId: string,
  { reason = NO_REASON, ...options }: OperationOptions = {},
): Operated => operate(site, jobId, (state) => decide({ _tag: 'CancelJob', reason }, state), options);

/** The claim that stands is given back, uncounted: the job is ready for another runner. */
export const releaseJob = (
  site: OperationSite,
  jobId: string,
  { reason = NO_REASON, ...options }: OperationOptions = {},
): Operated => {
  const release = (state: ExistingJob): Decision =>
    isHeld(state)
      ? decide({ _tag: 'ReleaseClaim', token: state.claim.token, now: site.clock.now(), why: reason }, state)
      : E.left({ _tag: 'NotHeld', state: state._tag });
  return operate(site, jobId, release, options);
};
