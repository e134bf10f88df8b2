/** The event store in memory: what the PostgreSQL one does, without durability. For tests, and for trying the API. */
import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { rejected } from '../../domain/errors.js';
import { START, type Position, type RecordedEvent } from '../../domain/ledger.js';
import type { AppendOutcome, EventStore, StreamAppend } from '../../domain/ports.js';
import { catchUpSubscription, type History } from '../catch-up-subscription.js';
import { encodeAppend, repeatedStream } from '../encoded-append.js';
import { memoryHistory, type MemoryHistory } from './history.js';

export interface MemoryEventStoreOptions {
  /** The store's clock, as ISO-8601 UTC. */
  readonly now: () => string;
  /** Called in the same step as the append, with what was written now: where inline projections are kept. */
  readonly onAppended?: (events: readonly RecordedEvent[]) => void;
  readonly firstPosition?: Position;
  readonly pollMilliseconds?: number;
}

const appendAll = (
  history: MemoryHistory,
  appends: readonly StreamAppend[],
  { now, onAppended }: MemoryEventStoreOptions,
): readonly AppendOutcome[] => {
  const recordedAt = now();
  const outcomes = new Map<StreamAppend, AppendOutcome>();
  const written: RecordedEvent[] = [];
  // In the order of their names, as in the other stores.
  for (const append of appends.toSorted((one, other) => (one.stream < other.stream ? -1 : 1))) {
    const encoded = encodeAppend(append);
    if (isLeft(encoded)) outcomes.set(append, encoded);
    else {
      const { outcome, events } = history.append(encoded.right, recordedAt);
      outcomes.set(append, outcome);
      for (const event of events) written.push(event);
    }
  }
  if (written.length > 0) onAppended?.(written);
  return appends.map((append) => outcomes.get(append) ?? left(rejected('an append without an outcome')));
};

export const memoryEventStore = (options: MemoryEventStoreOptions): EventStore => {
  const history = memoryHistory(options.firstPosition ?? START + 1n);
  const listeners = new Set<() => void>();

  const followed: History = {
    look: () => Promise.resolve(right({ complete: history.end(), drawn: history.end() })),
    settled: () => Promise.resolve(right(history.end())),
    read: ({ after, upTo, limit, ...filter }) =>
      Promise.resolve(right(history.stretch(after, upTo, limit, filter))),
    onNews: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  return {
    append: (appends) => {
      const repeated = repeatedStream(appends);
      if (repeated !== undefined) return TE.left(rejected(`stream ${repeated} occurs twice in one append`));
      return TE.fromIO(() => {
        const outcomes = appendAll(history, appends, options);
        for (const listener of listeners) listener();
        return outcomes;
      });
    },
    readStream: (stream, selection) => TE.fromIO(() => history.stream(stream, selection)),
    readStreams: (streams) =>
      TE.fromIO(() => {
        const found = streams.map((name) => [name, history.stream(name)] as const);
        return new Map(found.filter(([, events]) => events.length > 0));
      }),
    readAll: ({ after, upTo, limit, ...filter }) =>
      TE.fromIO(() => {
        const end = history.end();
        return history.stretch(after, upTo === undefined || upTo > end ? end : upTo, limit, filter);
      }),
    end: () => TE.fromIO(() => history.end()),
    subscribe: (subscription) =>
      catchUpSubscription(followed, subscription, { pollMilliseconds: options.pollMilliseconds ?? 1_000 }),
  };
};
