/** Whose error it may be that nobody waited for: one thrown in a timer of a handler, say, or a promise that it let go of. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Active, Hand } from './hand.js';

/** An error that nobody waited for, as it is met. */
export interface Stray {
  /** Whose it may be, as a sentence. */
  readonly words: string | undefined;
  /** Gives back, uncounted, what it cannot have come from: the process ends. */
  readonly spare: () => Promise<void>;
}

/** Knows whose code runs, wherever that goes on. It costs every promise of the process something: only suspects are followed. */
const followed = new AsyncLocalStorage<string>();
let suspects = 0;

/** Calls the handler of a job that lost its lease before: it may be what ends processes. */
export const following = async (jobId: string, call: () => unknown): Promise<unknown> => {
  suspects += 1;
  try {
    return await followed.run(jobId, call);
  } finally {
    suspects -= 1;
    if (suspects === 0) followed.disable();
  }
};

const isRunning = (entry: Active): boolean => entry.running !== undefined;

/** The job whose code threw what is met just now; undefined where that is not known. */
export const culpritOf = ({ active }: Hand): Active | undefined => {
  const jobId = followed.getStore();
  return [...active].find((entry) => entry.job.jobId === jobId && isRunning(entry));
};

const MOST_NAMED = 10;

const nameOf = ({ job: { jobId, state } }: Active): string =>
  `${state.job.enqueued.type} ${jobId} (attempt ${state.job.attempts})`;

/** The jobs that run here, or the last that did, as a sentence; undefined before the first. */
const candidatesOf = ({ active, latest }: Hand): string | undefined => {
  const running = [...active].filter(isRunning);
  if (running.length === 0) {
    return latest === undefined
      ? undefined
      : `no job ran at that moment; the last to end was ${nameOf(latest)}`;
  }
  const further = running.length - MOST_NAMED;
  const names = running.slice(0, MOST_NAMED).map(nameOf).join(', ');
  return `it ran ${names}${further > 0 ? ` and ${further} more` : ''}; whatever is not done is tried again when its lease has run out`;
};

export const strayInWords = (hand: Hand, culprit: Active | undefined): string | undefined =>
  culprit === undefined
    ? candidatesOf(hand)
    : `it came from ${nameOf(culprit)}; what ran beside that is given back, uncounted`;
