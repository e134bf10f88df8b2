/**
 * Which queues to pick from next: classes are strict, queues within a class take turns by weight, and a lower class that has waited too
 * long gets one pick in twenty.
 */
import type { Pick, ReadyQueue } from '../../projections/ports.js';
import { heldQueues, type HeldQueues } from './held-queues.js';
import { laneOf, turnsOf, type Lane } from './turns.js';

/** Picks of a class that is passed over, for each one it gets. */
const PASSED_OVER = 19;
export interface Rotation extends Omit<HeldQueues, 'isHeld' | 'forgetEnds'> {
  /** Takes over what is known to be ready. Turns go on where they were. */
  readonly renew: (queues: readonly ReadyQueue[]) => void;
  /** Nothing to be had of it until the next renewal. */
  readonly leaveOut: (queue: ReadyQueue) => void;
  /** Ranks of the classes that have something to give, in order. */
  readonly ranks: (now: number) => readonly number[];
  readonly queuesOf: (rank: number) => readonly ReadyQueue[];
  /** Picks for up to `limit` jobs. `starving`: lower classes that have waited too long. */
  readonly plan: (limit: number, now: number, starving: ReadonlySet<number>) => readonly Pick[];
  /** So many jobs were picked of this class. */
  readonly gave: (rank: number, jobs: number, starving: ReadonlySet<number>) => void;
}

/** What each starving class is owed for the picks that passed it over. */
const debtsToStarving = () => {
  const passedOver = new Map<number, number>();
  const passed = (rank: number): number => passedOver.get(rank) ?? 0;
  return {
    of: (rank: number, limit: number): number =>
      Math.min(limit, Math.floor((passed(rank) + limit) / (PASSED_OVER + 1))),
    gave: (ranks: readonly number[], rank: number, jobs: number, starving: ReadonlySet<number>): void => {
      for (const other of ranks) {
        if (!starving.has(other)) passedOver.delete(other);
        else if (other === rank) passedOver.set(other, passed(other) - PASSED_OVER * jobs);
        else if (other > rank) passedOver.set(other, passed(other) + jobs);
      }
    },
  };
};

const byRank = (queues: readonly ReadyQueue[]): ReadonlyMap<number, readonly ReadyQueue[]> => {
  const ranks = new Map<number, ReadyQueue[]>();
  for (const queue of queues) {
    const alike = ranks.get(queue.class);
    if (alike === undefined) ranks.set(queue.class, [queue]);
    else alike.push(queue);
  }
  return ranks;
};

export const rotation = (): Rotation => {
  let lanes = new Map<number, Lane>();
  const leftOut = new Set<ReadyQueue>();
  const { isHeld, forgetEnds, ...held } = heldQueues();
  const debts = debtsToStarving();

  const isOpenAt =
    (now: number) =>
    (queue: ReadyQueue): boolean =>
      !leftOut.has(queue) && !isHeld(queue, now);

  const ranks = (now: number): readonly number[] =>
    [...lanes.keys()]
      .filter((rank) => lanes.get(rank)?.queues.some(isOpenAt(now)) === true)
      .toSorted((one, other) => one - other);

  const sharesOf = (rank: number, limit: number, now: number): readonly Pick[] => {
    const lane = lanes.get(rank);
    if (lane === undefined || limit <= 0) return [];
    return [...turnsOf(lane, limit, isOpenAt(now))].map(([queue, share]) => ({ queue, limit: share }));
  };

  return {
    ...held,
    renew: (queues) => {
      lanes = new Map([...byRank(queues)].map(([rank, alike]) => [rank, laneOf(alike, lanes.get(rank))]));
      leftOut.clear();
      forgetEnds();
    },
    leaveOut: (queue) => {
      leftOut.add(queue);
    },
    ranks,
    queuesOf: (rank) => lanes.get(rank)?.queues ?? [],
    plan: (limit, now, starving) => {
      const [first, ...lower] = ranks(now);
      if (first === undefined) return [];
      const owed = lower
        .filter((rank) => starving.has(rank))
        .map((rank) => [rank, debts.of(rank, limit)] as const);
      const rest = Math.max(0, limit - owed.reduce((sum, [, jobs]) => sum + jobs, 0));
      return [...sharesOf(first, rest, now), ...owed.flatMap(([rank, jobs]) => sharesOf(rank, jobs, now))];
    },
    gave: (rank, jobs, starving) => debts.gave([...lanes.keys()], rank, jobs, starving),
  };
};
