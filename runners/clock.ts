/** The ledger's one clock, as this process reads it: its own, corrected by the offset that was measured against the database. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../domain/errors.js';
import { isoOf, millisecondsOf } from '../domain/instant.js';
import type { JobIndex } from '../projections/ports.js';

export interface LedgerClock {
  /** ISO-8601 UTC. */
  readonly now: () => string;
  /** Milliseconds by which the database's clock is ahead of this process. */
  readonly offset: () => number;
  readonly measure: () => Promise<E.Either<StoreError, number>>;
}

export const ledgerClock = (
  index: Pick<JobIndex, 'now'>,
  processClock: () => number = Date.now,
): LedgerClock => {
  let offset = 0;
  let told = { at: Number.NaN, text: '' };
  return {
    now: () => {
      const at = processClock() + offset;
      if (at !== told.at) told = { at, text: isoOf(at) };
      return told.text;
    },
    offset: () => offset,
    measure: async () => {
      const asked = processClock();
      const answer = await index.now()();
      if (E.isLeft(answer)) return answer;
      // The answer was given half-way through the trip, as far as anybody can tell.
      offset = Math.round(millisecondsOf(answer.right) - (asked + processClock()) / 2);
      return E.right(offset);
    },
  };
};
