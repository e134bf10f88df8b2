/**
 * Low-water marks: where a pick was slow, because a mountain of dead rows lies before the first living one, the next picks begin where it
 * ended. For a moment only, and not where a pick came back short: late and returned jobs may stand before the mark.
 */
import type { Pick, PlacedJob, QueuePosition, ReadyQueue } from '../../projections/ports.js';
import { rankedKey } from './turns.js';

const SLOW_MS = 5;
const LEAST_MS = 1_000;
/** A full pick may take this share of the time, so that it hardly counts. */
const TIMES = 20;
const MOST_MS = 5_000;

interface Mark {
  readonly position: QueuePosition;
  readonly until: number;
}

export interface LowWater {
  readonly from: (queue: ReadyQueue) => QueuePosition | undefined;
  /** What the picks gave, and how long they took. */
  readonly learn: (picks: readonly Pick[], picked: readonly PlacedJob[], milliseconds: number) => void;
}

export const lowWater = (clock: () => number = () => performance.now()): LowWater => {
  const marks = new Map<string, Mark>();

  const markOf = (queue: ReadyQueue): Mark | undefined => {
    const mark = marks.get(rankedKey(queue));
    if (mark !== undefined && mark.until > clock()) return mark;
    marks.delete(rankedKey(queue));
    return undefined;
  };

  const learnOf = ({ queue, limit, from }: Pick, own: readonly PlacedJob[], milliseconds: number): void => {
    const last = own.at(-1);
    const key = rankedKey(queue);
    if (queue.order !== 'fifo' || last === undefined || own.length < limit) marks.delete(key);
    else if (from !== undefined) {
      const mark = marks.get(key);
      if (mark !== undefined) marks.set(key, { ...mark, position: last });
    } else if (milliseconds > SLOW_MS) {
      const lasts = Math.min(MOST_MS, Math.max(LEAST_MS, TIMES * milliseconds));
      marks.set(key, { position: last, until: clock() + lasts });
    }
  };

  return {
    from: (queue) => (marks.size === 0 ? undefined : markOf(queue)?.position),
    learn: (picks, picked, milliseconds) => {
      if (marks.size === 0 && milliseconds <= SLOW_MS) return;
      for (const [n, pick] of picks.entries()) {
        learnOf(
          pick,
          picked.filter((job) => job.pick === n),
          milliseconds,
        );
      }
    },
  };
};
