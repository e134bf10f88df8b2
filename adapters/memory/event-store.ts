/** The event store in memory: what the PostgreSQL one does, without durability. For tests, and for trying the API. */
import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { conflict, rejected } from '../../domain/errors.js';
import {
  nextRevision,
  START,
  type Position,
  type RecordedEvent,
  type StreamName,
} from '../../domain/ledger.js';
import type {
  AppendOutcome,
  EventStore,
  Filter,
  Page,
  ReadStreamOptions,
  StreamAppend,
} from '../../domain/ports.js';
import { catchUpSubscription, type History } from '../catch-up-subscription.js';
import { encodeAppend, repeatedStream, type EncodedAppend } from '../encoded-append.js';

export interface MemoryEventStoreOptions {
  /** The store's clock, as ISO-8601 UTC. */
  readonly now: () => string;
  /** Called in the same step as the append, with what was written now: where inline projections are kept. */
  readonly onAppended?: (events: readonly RecordedEvent[]) => void;
  readonly firstPosition?: Position;
  readonly pollMilliseconds?: number;
}

/** Kept as text: every reader gets values of its own, and no more than JSON carries. */
interface Stored extends Omit<RecordedEvent, 'data' | 'metadata'> {
  readonly data: string;
  readonly metadata: string;
}

const recorded = (stored: Stored): RecordedEvent => ({
  ...stored,
  data: JSON.parse(stored.data),
  metadata: JSON.parse(stored.metadata),
});

const passes =
  ({ streamPrefix = '', types }: Filter) =>
  ({ stream, type }: Stored): boolean =>
    stream.startsWith(streamPrefix) && (types === undefined || types.includes(type));

const selected = (
  events: readonly Stored[],
  { direction = 'forward', from, limit }: ReadStreamOptions,
): readonly Stored[] => {
  const ordered = direction === 'forward' ? events : events.toReversed();
  const rest = ordered.filter(
    ({ revision }) => from === undefined || (direction === 'forward' ? revision >= from : revision <= from),
  );
  return limit === undefined ? rest : rest.slice(0, limit);
};

/** First index whose position lies behind `after`. */
const indexBehind = (events: readonly Stored[], after: Position): number => {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.position ?? START) > after) high = middle;
    else low = middle + 1;
  }
  return low;
};

class Memory {
  private readonly history: Stored[] = [];
  private readonly streams = new Map<StreamName, Stored[]>();
  private position: Position;

  constructor(firstPosition: Position) {
    this.position = firstPosition - 1n;
  }

  get end(): Position {
    return this.position;
  }

  stream(name: StreamName): readonly Stored[] {
    return this.streams.get(name) ?? [];
  }

  append(
    { append, events }: EncodedAppend,
    recordedAt: string,
  ): { outcome: AppendOutcome; written: readonly Stored[] } {
    const { stream, expected } = append;
    const standing = this.stream(stream);
    const first = nextRevision(expected);
    if (first === BigInt(standing.length)) {
      const written = events.map((event) => ({
        ...event,
        stream,
        recordedAt: event.recordedAt ?? recordedAt,
        position: (this.position += 1n),
      }));
      this.history.push(...written);
      this.streams.set(stream, [...standing, ...written]);
      return { outcome: this.appended(written, false), written };
    }
    const there = standing.slice(Number(first), Number(first) + events.length);
    const isSame = there.length === events.length && there.every(({ id }, index) => id === events[index]?.id);
    const outcome = isSame
      ? this.appended(there, true)
      : left(conflict(stream, expected, standing.at(-1)?.revision));
    return { outcome, written: [] };
  }

  private appended(events: readonly Stored[], alreadyThere: boolean): AppendOutcome {
    const last = events.at(-1);
    return last === undefined
      ? left(rejected('an append without events'))
      : right({ stream: last.stream, revision: last.revision, position: last.position, alreadyThere });
  }

  stretch(after: Position, upTo: Position, limit: number | undefined, filter: Filter): Page {
    const isWanted = passes(filter);
    const events: Stored[] = [];
    for (let index = indexBehind(this.history, after); index < this.history.length; index += 1) {
      const event = this.history[index];
      if (event === undefined || event.position > upTo || events.length === limit) break;
      if (isWanted(event)) events.push(event);
    }
    const last = events.at(-1)?.position;
    const isFull = limit !== undefined && events.length >= limit;
    return { events: events.map(recorded), upTo: isFull ? (last ?? after) : upTo < after ? after : upTo };
  }
}

const appendAll = (
  memory: Memory,
  appends: readonly StreamAppend[],
  { now, onAppended }: MemoryEventStoreOptions,
): readonly AppendOutcome[] => {
  const recordedAt = now();
  const encoded = appends.map(encodeAppend);
  const outcomes = new Map<EncodedAppend, AppendOutcome>();
  const written: Stored[] = [];
  const sound = encoded.flatMap((each) => (isLeft(each) ? [] : [each.right]));
  for (const each of sound.toSorted((one, other) => (one.append.stream < other.append.stream ? -1 : 1))) {
    const result = memory.append(each, recordedAt);
    outcomes.set(each, result.outcome);
    written.push(...result.written);
  }
  if (written.length > 0) onAppended?.(written.map(recorded));
  return encoded.map((each) =>
    isLeft(each) ? each : (outcomes.get(each.right) ?? left(rejected('an append without an outcome'))),
  );
};

export const memoryEventStore = (options: MemoryEventStoreOptions): EventStore => {
  const memory = new Memory(options.firstPosition ?? START + 1n);
  const listeners = new Set<() => void>();

  const history: History = {
    look: () => Promise.resolve(right({ complete: memory.end, drawn: memory.end })),
    settled: () => Promise.resolve(right(memory.end)),
    read: ({ after, upTo, limit, ...filter }) =>
      Promise.resolve(right(memory.stretch(after, upTo, limit, filter))),
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
        const outcomes = appendAll(memory, appends, options);
        for (const listener of listeners) listener();
        return outcomes;
      });
    },
    readStream: (stream, selection = {}) =>
      TE.fromIO(() => selected(memory.stream(stream), selection).map(recorded)),
    readStreams: (streams) =>
      TE.fromIO(() => {
        const found = streams.map((name) => [name, memory.stream(name).map(recorded)] as const);
        return new Map(found.filter(([, events]) => events.length > 0));
      }),
    readAll: ({ after, upTo, limit, ...filter }) =>
      TE.fromIO(() => {
        const end = upTo === undefined || upTo > memory.end ? memory.end : upTo;
        return memory.stretch(after, end, limit, filter);
      }),
    end: () => TE.fromIO(() => memory.end),
    subscribe: (subscription) =>
      catchUpSubscription(history, subscription, { pollMilliseconds: options.pollMilliseconds ?? 1_000 }),
  };
};
