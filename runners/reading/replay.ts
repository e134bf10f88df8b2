/** Events of a stretch of history, in order, a page at a time. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { Position, RecordedEvent, Revision, StreamName } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';

export interface ReplayRange {
  readonly stream?: StreamName | undefined;
  readonly types?: readonly string[] | undefined;
  /** First and last position, both included. */
  readonly from?: Position | undefined;
  readonly to?: Position | undefined;
  /** Only what had been recorded by then. ISO-8601 UTC. */
  readonly until?: string | undefined;
}

type OnPage = (events: readonly RecordedEvent[]) => Promise<boolean>;

const PAGE = 1_000;

const isWithin =
  ({ types, from = 0n, to, until }: ReplayRange) =>
  ({ type, position, recordedAt }: RecordedEvent): boolean =>
    (types === undefined || types.includes(type)) &&
    position >= from &&
    (to === undefined || position <= to) &&
    (until === undefined || recordedAt <= until);

const replayStream = async (
  store: EventStore,
  stream: StreamName,
  range: ReplayRange,
  onPage: OnPage,
): Promise<E.Either<StoreError, void>> => {
  let from: Revision = 0n;
  for (;;) {
    const page = await store.readStream(stream, { from, limit: PAGE })();
    if (E.isLeft(page)) return page;
    const last = page.right.at(-1);
    if (last === undefined || !(await onPage(page.right.filter(isWithin(range))))) return E.right(undefined);
    from = last.revision + 1n;
  }
};

/** To the end of history as it is now, or as far as somebody reads. */
export const replay = async (
  store: EventStore,
  range: ReplayRange,
  onPage: OnPage,
): Promise<E.Either<StoreError, void>> => {
  if (range.stream !== undefined) return replayStream(store, range.stream, range, onPage);
  const end = await store.end()();
  if (E.isLeft(end)) return end;
  const upTo = range.to !== undefined && range.to < end.right ? range.to : end.right;
  let after = (range.from ?? 1n) - 1n;
  while (after < upTo) {
    const filter = range.types === undefined ? {} : { types: range.types };
    const page = await store.readAll({ after, upTo, limit: PAGE, ...filter })();
    if (E.isLeft(page)) return page;
    if (!(await onPage(page.right.events.filter(isWithin(range))))) break;
    after = page.right.upTo;
  }
  return E.right(undefined);
};
