/** Which queues to pick from next: classes are strict, queues within a class take turns. */
import { classRank, OF_ITS_QUEUE } from '../../domain/job/facts.js';
import type { Pick, ReadyQueue } from '../../projections/ports.js';

const LEAST_SHARE = 10;

const rankOf = ({ class: place }: ReadyQueue): number =>
  place === OF_ITS_QUEUE ? classRank('normal') : place;

/**
 * Picks for up to `limit` jobs from the first class that has any. Queues share evenly; whose turn it is first moves on with `turn`.
 * @param queues classes in order, as the claim desk gives them
 */
export const nextPicks = (queues: readonly ReadyQueue[], limit: number, turn: number): readonly Pick[] => {
  const [first] = queues;
  const inClass = first === undefined ? [] : queues.filter((queue) => rankOf(queue) === rankOf(first));
  if (inClass.length === 0 || limit <= 0) return [];
  const width = Math.max(1, Math.min(inClass.length, Math.floor(limit / LEAST_SHARE)));
  const begin = (turn * width) % inClass.length;
  const chosen = Array.from({ length: width }, (_, n) => inClass[(begin + n) % inClass.length]);
  const share = Math.floor(limit / width);
  const rest = limit - share * width;
  return chosen.flatMap((queue, n) =>
    queue === undefined ? [] : [{ queue, limit: share + (n < rest ? 1 : 0) }],
  );
};
