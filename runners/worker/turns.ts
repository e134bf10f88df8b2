/** Queues of one class take turns, each as long as its weight says. */
import { queueKey } from '../../domain/queue/scope.js';
import type { ReadyQueue } from '../../projections/ports.js';

/** Jobs of a queue of weight 1 at each of its turns, at most; fewer where few are asked for, so that many queues share them. */
const MOST_A_TURN = 10;

export interface Lane {
  readonly queues: readonly ReadyQueue[];
  /** Whose turn it is, and how many jobs are left of that turn. */
  at: number;
  left: number;
}

/** Jobs of one queue are picked apart by their classes. */
export const rankedKey = (queue: Pick<ReadyQueue, 'class' | 'type' | 'wiki'>): string =>
  `${queue.class}\n${queueKey(queue)}`;

/** Turns go on where they were before. */
export const laneOf = (queues: readonly ReadyQueue[], before: Lane | undefined): Lane => {
  const last = before?.queues[before.at];
  const sorted = queues.toSorted((one, other) => (queueKey(one) < queueKey(other) ? -1 : 1));
  if (before === undefined || last === undefined) return { queues: sorted, at: 0, left: 0 };
  const found = sorted.findIndex((queue) => queueKey(queue) >= queueKey(last));
  const at = Math.max(0, found);
  const isSame = sorted[at] !== undefined && queueKey(sorted[at]) === queueKey(last);
  return { queues: sorted, at, left: isSame ? before.left : 0 };
};

/** What is left behind a whole round goes to those that took part, by their weights. */
const shareOut = (shares: Map<ReadyQueue, number>, jobs: number): void => {
  const weights = [...shares.keys()].reduce((sum, { weight }) => sum + weight, 0);
  let left = jobs;
  for (const [queue, share] of shares) {
    const more = Math.min(left, Math.ceil((jobs * queue.weight) / weights));
    shares.set(queue, share + more);
    left -= more;
  }
};

/** Shares of up to `limit` jobs, turn by turn, one round at most. */
export const turnsOf = (
  lane: Lane,
  limit: number,
  isOpen: (queue: ReadyQueue) => boolean,
): ReadonlyMap<ReadyQueue, number> => {
  const shares = new Map<ReadyQueue, number>();
  const unit = Math.max(1, Math.min(MOST_A_TURN, Math.floor(limit / MOST_A_TURN)));
  let wanted = limit;
  for (let visited = 0; wanted > 0 && visited < lane.queues.length; visited += 1) {
    const queue = lane.queues[lane.at];
    if (queue === undefined || !isOpen(queue)) lane.left = 0;
    else {
      if (lane.left <= 0) lane.left = queue.weight * unit;
      const share = Math.min(wanted, lane.left);
      shares.set(queue, share);
      wanted -= share;
      lane.left -= share;
      if (lane.left > 0) break;
    }
    lane.at = (lane.at + 1) % lane.queues.length;
  }
  shareOut(shares, wanted);
  return shares;
};
