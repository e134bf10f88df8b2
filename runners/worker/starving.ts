/** Lower classes whose oldest ready job has waited too long: some heads of theirs are looked at now and then, other ones each time. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { ClaimDesk, ReadyQueue } from '../../projections/ports.js';
import type { Rotation } from './rotation.js';

/** A class that has waited so long is served before its turn. */
const STARVING_MS = 60_000;
const EVERY_MS = 1_000;
const HEADS = 20;

export interface Starving {
  readonly ranks: () => ReadonlySet<number>;
  readonly look: (now: number) => Promise<E.Either<StoreError, void>>;
}

const someOf = (queues: readonly ReadyQueue[], looks: number): readonly ReadyQueue[] => {
  if (queues.length <= HEADS) return queues;
  const first = (looks * HEADS) % queues.length;
  return Array.from({ length: HEADS }, (_, n) => queues[(first + n) % queues.length]).filter(
    (queue) => queue !== undefined,
  );
};

export const starvingClasses = (
  desk: { readonly longestWait: ClaimDesk['longestWait'] },
  turns: Rotation,
): Starving => {
  let ranks: ReadonlySet<number> = new Set();
  let lookedAt = -Infinity;
  let looks = 0;
  return {
    ranks: () => ranks,
    look: async (now) => {
      // The first class is served anyway.
      const [, ...lower] = turns.ranks(now);
      if (lower.length > 0 && now - lookedAt < EVERY_MS) return E.right(undefined);
      if (lower.length > 0) [lookedAt, looks] = [now, looks + 1];
      const found = new Set<number>();
      for (const rank of lower) {
        const waited = await desk.longestWait(someOf(turns.queuesOf(rank), looks))();
        if (E.isLeft(waited)) return waited;
        if (waited.right > STARVING_MS) found.add(rank);
      }
      ranks = found;
      return E.right(undefined);
    },
  };
};
