/**
 * Keeps the tables that runners depend on where no append can carry their rows: behind every piece of news, and whenever somebody needs
 * them as of now. One round at a time; who asks while one is under way is answered by the next.
 */
import * as E from 'fp-ts/lib/Either.js';
import { bell } from '../adapters/bell.js';
import { explainStoreError, type StoreError } from '../domain/errors.js';

export interface Keeper {
  readonly upToDate: () => Promise<E.Either<StoreError, unknown>>;
  /** Stays until stopped. */
  readonly start: (options: KeeperOptions) => { readonly stop: () => Promise<void> };
}

export interface KeeperOptions {
  /** Behind every round that moved a table. */
  readonly onMoved: () => void;
  readonly log: (line: string) => void;
}

const POLL_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

export interface KeeperPorts {
  /** True where a table moved. */
  readonly round: () => Promise<E.Either<StoreError, boolean>>;
  readonly onNews: (listener: () => void) => () => void;
}

export const keeper = ({ round, onNews }: KeeperPorts): Keeper => {
  let running: Promise<E.Either<StoreError, boolean>> | undefined;
  let next: Promise<E.Either<StoreError, boolean>> | undefined;

  const begin = (): Promise<E.Either<StoreError, boolean>> => {
    next = undefined;
    running = round().finally(() => {
      running = undefined;
    });
    return running;
  };

  const upToDate = (): Promise<E.Either<StoreError, boolean>> => {
    if (running === undefined) return next ?? begin();
    next ??= running.then(begin, begin);
    return next;
  };

  return {
    upToDate,
    start: ({ onMoved, log }) => {
      const news = bell();
      const deafen = onNews(news.ring);
      let isEnding = false;
      const run = async (): Promise<void> => {
        let failures = 0;
        let told = '';
        while (!isEnding) {
          const done = await upToDate();
          if (E.isRight(done) && done.right) onMoved();
          failures = E.isRight(done) ? 0 : failures + 1;
          const flaw = E.isRight(done) ? '' : explainStoreError(done.left);
          if (flaw !== '' && flaw !== told)
            log(`the tables of what is ready cannot be kept, and it is tried again: ${flaw}`);
          told = flaw;
          if (!isEnding)
            await news.wait(failures === 0 ? POLL_MS : Math.min(100 * 2 ** failures, LONGEST_PAUSE_MS));
        }
        deafen();
      };
      const ended = run();
      return {
        stop: async () => {
          isEnding = true;
          news.ring();
          await ended;
        },
      };
    },
  };
};
