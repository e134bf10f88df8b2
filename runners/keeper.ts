/**
 * Keeps the tables that runners depend on where no append can carry their rows: behind every piece of news, and whenever somebody needs
 * them as of now. One round at a time; who asks while one is under way is answered by the next.
 */
import * as E from 'fp-ts/lib/Either.js';
import { backOff } from '../adapters/back-off.js';
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
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 1_000;

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
        const retries = backOff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
        let told = '';
        while (!isEnding) {
          const done = await upToDate();
          if (E.isRight(done) && done.right) onMoved();
          if (E.isRight(done)) retries.reset();
          const flaw = E.isRight(done) ? '' : explainStoreError(done.left);
          if (flaw !== '' && flaw !== told)
            log(`the tables of what is ready cannot be kept, and it is tried again: ${flaw}`);
          told = flaw;
          if (!isEnding) await news.wait(E.isRight(done) ? POLL_MS : retries.next());
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
