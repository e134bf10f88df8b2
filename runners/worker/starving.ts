/** Lower classes whose oldest ready job has waited too long: heads of theirs are looked at now and then, some hundred at a time. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { ClaimDesk, ReadyQueue } from '../../projections/ports.js';
import type { Rotation } from './rotation.js';
import { queueKey } from '../../domain/queue/scope.js';

/** A class that has waited so long is served before its turn. */
const STARVING_MS = 60_000;
const EVERY_MS = 1_000;
/** Heads that one statement looks at, and statements of one look, at most: 500 queues at a time. */
const HEADS = 100;
const STATEMENTS = 5;

export interface Starving {
  readonly ranks: () => ReadonlySet<number>;
  readonly look: (now: number) => Promise<E.Either<StoreError, void>>;
}

/** Where the look at a class stands. */
interface Round {
  /** How many of its queues have been looked at, round after round. */
  next: number;
  /** Those among which one had waited too long: while it has, they are all that is looked at. */
  found: ReadonlySet<string>;
}

const groupAt = (queues: readonly ReadyQueue[], next: number): readonly ReadyQueue[] =>
  Array.from({ length: Math.min(HEADS, queues.length) }, (_, n) => queues[(next + n) % queues.length]).filter(
    (queue) => queue !== undefined,
  );

export const starvingClasses = (
  desk: { readonly longestWait: ClaimDesk['longestWait'] },
  turns: Pick<Rotation, 'ranks' | 'queuesOf'>,
): Starving => {
  const rounds = new Map<number, Round>();
  let ranks: ReadonlySet<number> = new Set();
  let lookedAt = -Infinity;

  const haveWaited = async (queues: readonly ReadyQueue[]): Promise<E.Either<StoreError, boolean>> =>
    queues.length === 0
      ? E.right(false)
      : E.map((waited: number) => waited > STARVING_MS)(await desk.longestWait(queues)());

  const isStarving = async (rank: number): Promise<E.Either<StoreError, boolean>> => {
    const queues = turns.queuesOf(rank);
    const round = rounds.get(rank) ?? { next: 0, found: new Set() };
    rounds.set(rank, round);
    const still = await haveWaited(queues.filter((queue) => round.found.has(queueKey(queue))));
    if (E.isLeft(still) || still.right) return still;
    round.found = new Set();
    for (let looked = 0; looked < Math.min(queues.length, STATEMENTS * HEADS); looked += HEADS) {
      const group = groupAt(queues, round.next);
      const waited = await haveWaited(group);
      if (E.isLeft(waited)) return waited;
      if (waited.right) {
        round.found = new Set(group.map(queueKey));
        return waited;
      }
      round.next = (round.next + group.length) % queues.length;
    }
    return E.right(false);
  };

  return {
    ranks: () => ranks,
    look: async (now) => {
      // The first class is served anyway.
      const [, ...lower] = turns.ranks(now);
      if (lower.length > 0 && now - lookedAt < EVERY_MS) return E.right(undefined);
      if (lower.length > 0) lookedAt = now;
      const found = new Set<number>();
      for (const rank of lower) {
        const starving = await isStarving(rank);
        if (E.isLeft(starving)) return starving;
        if (starving.right) found.add(rank);
      }
      ranks = found;
      return E.right(undefined);
    },
  };
};
