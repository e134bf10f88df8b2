/** Whose error it may be that nobody waited for: one thrown in a timer of a handler, say, or a promise that it let go of. */
import type { Active, Hand } from './hand.js';

const MOST_NAMED = 10;

const nameOf = ({ job: { jobId, state } }: Active): string =>
  `${state.job.enqueued.type} ${jobId} (attempt ${state.job.attempts})`;

/** The jobs that run here, or the last that did, as a sentence; undefined before the first. */
export const culpritsOf = ({ active, latest }: Hand): string | undefined => {
  const running = [...active].filter((entry) => entry.running !== undefined);
  if (running.length === 0) {
    return latest === undefined
      ? undefined
      : `no job ran at that moment; the last to end was ${nameOf(latest)}`;
  }
  const further = running.length - MOST_NAMED;
  const names = running.slice(0, MOST_NAMED).map(nameOf).join(', ');
  return `it ran ${names}${further > 0 ? ` and ${further} more` : ''}; whatever is not done is tried again when its lease has run out`;
};
