/** A subscription over any history that can be read by position: catch-up, then live, and back when it falls behind. */
import { isLeft, type Either } from 'fp-ts/lib/Either.js';
import { explainStoreError, type StoreError } from '../domain/errors.js';
import { START, type Position } from '../domain/ledger.js';
import type { Filter, Page, SubscribeOptions, Subscription } from '../domain/ports.js';
import { backOff } from './back-off.js';
import { bell } from './bell.js';

export interface History {
  /** `complete`: how far nothing can appear any more, as far as known. `drawn`: the end there will be. */
  readonly look: () => Promise<
    Either<StoreError, { readonly complete: Position | undefined; readonly drawn: Position }>
  >;
  readonly settled: () => Promise<Either<StoreError, Position>>;
  readonly read: (
    stretch: Filter & { readonly after: Position; readonly upTo: Position; readonly limit: number },
  ) => Promise<Either<StoreError, Page>>;
  /** News only shorten the wait. Gives back how to stop listening. */
  readonly onNews: (listener: () => void) => () => void;
}

/** Bounds memory and the time between two checkpoints; large enough that a batch folds to little. */
const PAGE_EVENTS = 2_000;
const FIRST_BACK_OFF = 100;
const LONGEST_BACK_OFF = 5_000;
/** Appends in flight end within milliseconds: the next look comes soon, then more and more slowly. */
const FIRST_GRACE = 2;
const LONGEST_GRACE = 100;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What comes after a step: how long to wait, or why there is no further one. */
type Next =
  | { readonly _tag: 'Wait'; readonly milliseconds: number }
  | { readonly _tag: 'Retry'; readonly error: StoreError }
  | { readonly _tag: 'Drop'; readonly reason: string };

const wait = (milliseconds: number): Next => ({ _tag: 'Wait', milliseconds });
const drop = (reason: string): Next => ({ _tag: 'Drop', reason });
const retryOrDrop = (error: StoreError): Next =>
  error._tag === 'Unavailable' ? { _tag: 'Retry', error } : drop(explainStoreError(error));

const reader = (
  history: History,
  options: SubscribeOptions,
  pollMilliseconds: number,
): (() => Promise<Next>) => {
  const { from, onPage, onNotice, ...filter } = options;
  let position = from === 'live' ? undefined : from === 'start' ? START : from;
  let isCaughtUp = false;
  const graces = backOff(FIRST_GRACE, Math.min(LONGEST_GRACE, pollMilliseconds));

  const notice = (after: Position, complete: Position): void => {
    if (after >= complete === isCaughtUp) return;
    isCaughtUp = !isCaughtUp;
    onNotice?.({ _tag: isCaughtUp ? 'CaughtUp' : 'FellBehind', position: after });
  };

  const pause = (isGrace: boolean): Next => {
    if (isGrace) return wait(graces.next());
    graces.reset();
    return wait(pollMilliseconds);
  };

  return async () => {
    if (position === undefined) {
      const end = await history.settled();
      if (isLeft(end)) return retryOrDrop(end.left);
      position = end.right;
    }
    const look = await history.look();
    if (isLeft(look)) return retryOrDrop(look.left);
    const { complete, drawn } = look.right;
    if (drawn < position) return drop(`position ${position} lies behind the end of history, ${drawn}`);
    if (complete === undefined) return pause(true);
    if (complete > position) {
      const page = await history.read({ ...filter, after: position, upTo: complete, limit: PAGE_EVENTS });
      if (isLeft(page)) return retryOrDrop(page.left);
      try {
        await onPage(page.right)();
      } catch (error) {
        return drop(reasonOf(error));
      }
      position = page.right.upTo;
    }
    notice(position, complete);
    return position < complete ? wait(0) : pause(drawn > complete);
  };
};

export const catchUpSubscription = (
  history: History,
  options: SubscribeOptions,
  { pollMilliseconds }: { readonly pollMilliseconds: number },
): Subscription => {
  const news = bell();
  const step = reader(history, options, pollMilliseconds);
  let isStopped = false;

  const run = async (): Promise<void> => {
    const deafen = history.onNews(news.ring);
    const retries = backOff(FIRST_BACK_OFF, LONGEST_BACK_OFF);
    while (!isStopped) {
      const next = await step();
      if (isStopped) break;
      if (next._tag === 'Drop') {
        options.onNotice?.({ _tag: 'Dropped', reason: next.reason });
        break;
      }
      if (next._tag === 'Wait') retries.reset();
      const milliseconds = next._tag === 'Wait' ? next.milliseconds : retries.next();
      if (milliseconds > 0) await news.wait(milliseconds);
    }
    deafen();
  };

  const running = run();
  return {
    stop: async () => {
      isStopped = true;
      news.ring();
      await running;
    },
  };
};
