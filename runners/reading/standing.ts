/** How a job stands, and what happens next. */
import { IMPORTED_RUNNER } from '../../domain/job/decide-import.js';
import { millisecondsBetween } from '../../domain/instant.js';
import type { ExistingJob } from '../../domain/job/state.js';
import { inWords } from './duration.js';
import { runnerInWords, timeInWords } from './sentence.js';

export interface StandingInWords {
  readonly now: string;
  readonly next: string;
}

type In<T extends ExistingJob['_tag']> = Extract<ExistingJob, { _tag: T }>;

export const standingOf = (state: ExistingJob, now: string): StandingInWords => {
  switch (state._tag) {
    case 'Waiting':
      return waiting(state, now);
    case 'Claimed':
      return claimed(state);
    case 'Running':
      return running(state, now);
    case 'Succeeded':
      return {
        now: `It is done: attempt ${state.job.attempts} succeeded.`,
        next: 'Nothing more happens to it.',
      };
    case 'Superseded':
      return {
        now: `It was dropped, since job ${state.by} does its work.`,
        next: `"jobledger explain ${state.by}" tells what became of that one.`,
      };
    case 'Abandoned':
      return {
        now: abandonedInWords(state),
        next: 'It does not run again unless somebody makes it ready again.',
      };
    case 'Cancelled':
      return {
        now: 'It was cancelled.',
        next: 'It does not run unless somebody makes it ready again.',
      };
  }
};

const attemptAhead = ({ job }: ExistingJob): string =>
  `attempt ${job.attempts + 1} of at most ${Math.max(job.retry.maxAttempts, job.attempts + 1)}`;

const waiting = (state: In<'Waiting'>, now: string): StandingInWords => {
  const { notBefore, job } = state;
  const taken = `a free runner with a handler for "${job.enqueued.type}" takes it, for ${attemptAhead(state)}`;
  if (notBefore === undefined || notBefore <= now)
    return { now: 'It is waiting, and ready.', next: `Next, ${taken}.` };
  return {
    now: `It is waiting; it becomes due at ${timeInWords(notBefore)}, in ${inWords(millisecondsBetween(now, notBefore))}.`,
    next: `From then on, ${taken}.`,
  };
};

const claimed = (state: In<'Claimed'>): StandingInWords => {
  const { runner, leaseExpiresAt } = state.claim;
  return runner.id === IMPORTED_RUNNER.id
    ? {
        now: 'It was claimed by another program when it was imported.',
        next: `At ${timeInWords(leaseExpiresAt)} that claim ends, and the job becomes ready here.`,
      }
    : {
        now: `It is claimed by ${runnerInWords(runner)}, which has not begun to work on it.`,
        next: lossInWords(state),
      };
};

const lossInWords = ({ claim }: In<'Claimed'> | In<'Running'>): string =>
  `Should its runner be lost, which shows when the claim has not been renewed at ${timeInWords(claim.leaseExpiresAt)}, the job becomes ready for another.`;

const running = (state: In<'Running'>, now: string): StandingInWords => {
  const { attempt, claim, job } = state;
  const isLast = attempt.number >= job.retry.maxAttempts;
  return {
    now: `It is running: attempt ${attempt.number} of at most ${job.retry.maxAttempts}, for ${inWords(millisecondsBetween(attempt.startedAt, now))}, on ${runnerInWords(claim.runner)}.`,
    next: isLast
      ? 'If this attempt fails, the job is abandoned, since it is the last one.'
      : `If this attempt fails, it is tried again. ${lossInWords(state)}`,
  };
};

const abandonedInWords = ({ reason, job }: In<'Abandoned'>): string => {
  switch (reason) {
    case 'attempts-exhausted':
      return `It is abandoned: it was attempted as often as it may be (${job.attempts}).`;
    case 'not-retryable':
      return 'It is abandoned: its last failure was of a kind that is not tried again.';
    case 'lease-lost':
      return 'It is abandoned: its last attempt ended with the loss of its runner.';
  }
};
