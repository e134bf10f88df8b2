/**
 * How far behind a position the history is known to hold no start of an attempt. What has been read stays true, so no stretch is read
 * twice; and it is never looked far: who is told too little lets a job run once more.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js';
import type { StoreError } from '../domain/errors.js';
import type { Position } from '../domain/ledger.js';
import type { EventStore } from '../domain/ports.js';

/** Events read for one question, in growing pages: where work is going on a start is near. */
const PAGES = [50, 250, 1_700];
const MOST_KEPT = 64;

/** No attempt began strictly between the two. */
interface Stretch {
  readonly from: Position;
  until: Position;
  /** One begins at `until`. */
  isEnded: boolean;
}

/** Gives, for a position, one behind it before which no attempt began. */
export const quietStretches = (
  store: Pick<EventStore, 'readAll'>,
): ((position: Position) => Promise<Either<StoreError, Position>>) => {
  const kept: Stretch[] = [];

  const stretchAt = (position: Position): Stretch => {
    const known = kept.find(({ from, until }) => from <= position && position < until);
    if (known !== undefined) return known;
    const stretch: Stretch = { from: position, until: position + 1n, isEnded: false };
    kept.push(stretch);
    if (kept.length > MOST_KEPT) kept.shift();
    return stretch;
  };

  return async (position) => {
    const stretch = stretchAt(position);
    for (const limit of PAGES) {
      if (stretch.isEnded) break;
      const page = await store.readAll({ after: stretch.until - 1n, streamPrefix: 'job-', limit })();
      if (isLeft(page)) return page;
      const { events, upTo } = page.right;
      const start = events.find(({ type }) => type === 'AttemptStarted');
      stretch.isEnded = start !== undefined;
      stretch.until = start?.position ?? upTo + 1n;
      if (events.length < limit) break;
    }
    return right(stretch.until);
  };
};
