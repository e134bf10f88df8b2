/**
 * The ledger's one clock as this process knows it: the database's, read at intervals and carried on by a clock that nobody sets. What
 * this machine takes for the time is of no account, and setting it changes nothing.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../domain/errors.js';
import { isoOf, millisecondsOf } from '../domain/instant.js';
import type { JobIndex } from '../projections/ports.js';

export interface LedgerClock {
  /** ISO-8601 UTC. */
  readonly now: () => string;
  /** Milliseconds by which the database's clock is ahead of this machine's, for people to see. */
  readonly offset: () => number;
  readonly measure: () => Promise<E.Either<StoreError, number>>;
}

export interface ProcessClocks {
  /** Milliseconds from any beginning; never set. */
  readonly steady: () => number;
  /** Milliseconds since 1970, as this machine has it. */
  readonly wall: () => number;
}

const processClocks: ProcessClocks = { steady: () => performance.now(), wall: () => Date.now() };

/** What the database says is cut off to whole milliseconds. */
const GRAIN_MS = 1;

export const ledgerClock = (
  index: Pick<JobIndex, 'now'>,
  { steady, wall }: ProcessClocks = processClocks,
): LedgerClock => {
  let ahead = wall() - steady();
  let isMeasured = false;
  let told = { at: Number.NaN, text: '' };
  const offset = (): number => Math.round(steady() + ahead - wall());
  return {
    now: () => {
      const at = Math.floor(steady() + ahead);
      if (at !== told.at) told = { at, text: isoOf(at) };
      return told.text;
    },
    offset,
    measure: async () => {
      const asked = steady();
      const answer = await index.now()();
      if (E.isLeft(answer)) return answer;
      // It was read somewhere between question and answer: what was known before is corrected only where it cannot be right.
      const read = millisecondsOf(answer.right);
      const [least, most] = [read - steady(), read + GRAIN_MS - asked];
      ahead = isMeasured ? Math.min(most, Math.max(least, ahead)) : (least + most) / 2;
      isMeasured = true;
      return E.right(offset());
    },
  };
};
