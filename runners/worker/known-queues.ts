/** What a runner knows of the queues: read anew now and then, at once where nothing is left, and soon where there is news. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { ClaimDesk, QueueScope } from '../../projections/ports.js';
import { rotation, type Rotation } from './rotation.js';
import { starvingClasses } from './starving.js';

const REFRESH_MS = 1_000;
/** News comes with every append, this runner's own too: the queues are not read anew for each. */
const REFRESH_ON_NEWS_MS = 50;
/** Where many queues are ready, reading them takes no more than this part of the time. */
const READING_PART = 10;
export interface KnownQueues {
  readonly turns: Rotation;
  /** Lower classes that have waited too long. */
  readonly starving: () => ReadonlySet<number>;
  readonly refreshed: () => Promise<E.Either<StoreError, void>>;
  readonly noteNews: () => void;
  /** News has come since the queues were read. */
  readonly isOutdated: () => boolean;
}

export const knownQueues = (
  desk: Pick<ClaimDesk, 'readyQueues' | 'longestWait'>,
  scope: QueueScope,
): KnownQueues => {
  const turns = rotation();
  const starving = starvingClasses(desk, turns);
  let readAt = -Infinity;
  let readingMs = 0;
  let hasNews = false;

  const read = async (): Promise<E.Either<StoreError, void>> => {
    hasNews = false;
    const asked = performance.now();
    const queues = await desk.readyQueues(scope)();
    if (E.isLeft(queues)) return queues;
    readAt = performance.now();
    readingMs = readAt - asked;
    turns.renew(queues.right);
    return E.right(undefined);
  };

  return {
    turns,
    starving: starving.ranks,
    isOutdated: () => hasNews,
    noteNews: () => {
      hasNews = true;
      turns.letGo();
    },
    refreshed: async () => {
      const now = performance.now();
      const age = now - readAt;
      const due = Math.max(hasNews ? REFRESH_ON_NEWS_MS : REFRESH_MS, READING_PART * readingMs);
      const isKnown = turns.ranks(now).length > 0 || turns.heldUntil(now) !== undefined;
      if (!isKnown || age >= due) {
        const refreshed = await read();
        if (E.isLeft(refreshed)) return refreshed;
      }
      return starving.look(now);
    },
  };
};
