/** How a job stands, and what happens next. */
import { IMPORTED_RUNNER } from '../../domain/job/decide-import.js';
import { millisecondsBetween } from '../../domain/instant.js';
import type { ExistingJob } from '../../domain/job/state.js';
import { inWords } from './duration.js';
import { runnerInWords, timeInWords } from './sentence.js';
import {
  limitsInWords,
  lossInWords,
  pauseBehindClaimInWords,
  pausesInWords,
  resumingInWords,
  type Surroundings,
} from './surroundings.js';

export interface StandingInWords {
  readonly now: string;
  readonly next: string;
}

type In<T extends ExistingJob['_tag']> = Extract<ExistingJob, { _tag: T }>;

export const standingOf = (state: ExistingJob, now: string, around: Surroundings): StandingInWords => {
  switch (state._tag) {
    case 'Waiting':
      return waiting(state, now, around);
    case 'Claimed':
      return claimed(state, now, around);
    case 'Running':
      return running(state, now, around);
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

const together = (...sentences: readonly (string | undefined)[]): string =>
  sentences.filter((sentence) => sentence !== undefined).join(' ');

const waiting = (state: In<'Waiting'>, now: string, around: Surroundings): StandingInWords => {
  const { notBefore, job } = state;
  const taken = `a free runner with a handler for "${job.enqueued.type}" takes it, for ${attemptAhead(state)}`;
  const isDue = notBefore === undefined || notBefore <= now;
  const paused = pausesInWords(around);
  const resuming = resumingInWords(around);
  const limits = limitsInWords(around);
  if (paused !== undefined && resuming !== undefined) {
    const due = isDue ? 'It is waiting, and would be ready' : dueInWords(notBefore, now);
    const next = `It is not claimed until ${resuming}. ${isDue ? 'Then' : 'Then, once it is due'}, ${taken}.`;
    return { now: `${due}, but ${paused}.`, next: together(next, limits) };
  }
  return isDue
    ? { now: 'It is waiting, and ready.', next: together(`Next, ${taken}.`, limits) }
    : { now: `${dueInWords(notBefore, now)}.`, next: together(`From then on, ${taken}.`, limits) };
};

const dueInWords = (notBefore: string, now: string): string =>
  `It is waiting; it becomes due at ${timeInWords(notBefore)}, in ${inWords(millisecondsBetween(now, notBefore))}`;

const claimed = (state: In<'Claimed'>, now: string, around: Surroundings): StandingInWords => {
  const { runner, leaseExpiresAt } = state.claim;
  const pause = pauseBehindClaimInWords(around);
  if (runner.id === IMPORTED_RUNNER.id) {
    const ends = `At ${timeInWords(leaseExpiresAt)} that claim ends, and the job becomes ready here.`;
    return { now: 'It was claimed by another program when it was imported.', next: together(ends, pause) };
  }
  return {
    now: `It is claimed by ${runnerInWords(runner)}, which has not begun to work on it.`,
    next: together(lossInWords(state.claim, now, around), pause),
  };
};

const running = (state: In<'Running'>, now: string, around: Surroundings): StandingInWords => {
  const { attempt, claim, job } = state;
  const isLast = attempt.number >= job.retry.maxAttempts;
  return {
    now: `It is running: attempt ${attempt.number} of at most ${job.retry.maxAttempts}, for ${inWords(millisecondsBetween(attempt.startedAt, now))}, on ${runnerInWords(claim.runner)}.`,
    next: isLast
      ? 'If this attempt fails, the job is abandoned, since it is the last one.'
      : together(
          'If this attempt fails, it is tried again.',
          lossInWords(claim, now, around),
          pauseBehindClaimInWords(around),
        ),
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
