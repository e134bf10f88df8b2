/** The history itself, in memory: streams, positions, and the rule that every append states what it expects. */
import { left, right } from 'fp-ts/lib/Either.js';
import { conflict } from '../../domain/errors.js';
import {
  nextRevision,
  START,
  type Position,
  type RecordedEvent,
  type StreamName,
} from '../../domain/ledger.js';
import type { Appended, AppendOutcome, Filter, Page, ReadStreamOptions } from '../../domain/ports.js';
import type { EncodedAppend, EncodedEvent } from '../encoded-append.js';
import { readData } from '../stored-data.js';
import { metadataOfText } from '../stored-metadata.js';

/** Kept as text: every reader gets values of its own, and no more than JSON carries. */
interface Stored extends EncodedEvent {
  readonly stream: StreamName;
  readonly position: Position;
  readonly recordedAt: string;
}

const recorded = (stored: Stored): RecordedEvent => {
  const read = metadataOfText(stored.id, stored.metadata);
  if (read === undefined) throw new Error(`event ${stored.id} was appended without its metadata`);
  const { position, stream, revision, id, type, recordedAt } = stored;
  const { metadata } = read;
  const data = readData(type, id, read, JSON.parse(stored.data));
  return { position, stream, revision, id, type, data, metadata, recordedAt };
};

export interface Written {
  readonly outcome: AppendOutcome;
  /** Empty where nothing was written now. */
  readonly events: readonly RecordedEvent[];
}

export interface MemoryHistory {
  readonly append: (append: EncodedAppend, recordedAt: string) => Written;
  readonly stream: (name: StreamName, options?: ReadStreamOptions) => readonly RecordedEvent[];
  readonly stretch: (after: Position, upTo: Position, limit: number | undefined, filter: Filter) => Page;
  readonly end: () => Position;
}

const selected = (
  events: readonly Stored[],
  { direction = 'forward', from, limit }: ReadStreamOptions,
): readonly Stored[] => {
  const isForward = direction === 'forward';
  const wanted = (isForward ? events : events.toReversed()).filter(
    ({ revision }) => from === undefined || (isForward ? revision >= from : revision <= from),
  );
  return limit === undefined ? wanted : wanted.slice(0, limit);
};

/** Index of the first event behind `after`. */
const indexBehind = (events: readonly Stored[], after: Position): number => {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.position ?? START) > after) high = middle;
    else low = middle + 1;
  }
  return low;
};

const appendedAt = (event: Stored, alreadyThere: boolean): Appended => ({
  stream: event.stream,
  revision: event.revision,
  alreadyThere,
});

const refused = ({ append, events }: EncodedAppend, standing: readonly Stored[]): AppendOutcome => {
  const first = Number(nextRevision(append.expected));
  const there = standing.slice(first, first + events.length);
  const last = there.at(-1);
  const isSame = there.length === events.length && there.every(({ id }, index) => id === events[index]?.id);
  return isSame && last !== undefined
    ? right(appendedAt(last, true))
    : left(conflict(append.stream, append.expected, standing.at(-1)?.revision));
};

export const memoryHistory = (firstPosition: Position): MemoryHistory => {
  const all: Stored[] = [];
  const streams = new Map<StreamName, Stored[]>();
  let position = firstPosition - 1n;

  const write = (stream: StreamName, event: EncodedEvent, recordedAt: string): Stored => {
    position += 1n;
    const stored = { ...event, stream, position, recordedAt: event.recordedAt ?? recordedAt };
    all.push(stored);
    const events = streams.get(stream);
    if (events === undefined) streams.set(stream, [stored]);
    else events.push(stored);
    return stored;
  };

  return {
    append: (encoded, recordedAt) => {
      const { stream, expected } = encoded.append;
      const standing = streams.get(stream) ?? [];
      if (nextRevision(expected) !== BigInt(standing.length)) {
        return { outcome: refused(encoded, standing), events: [] };
      }
      const written = encoded.events.map((event) => write(stream, event, recordedAt));
      const last = written.at(-1);
      const outcome = last === undefined ? refused(encoded, standing) : right(appendedAt(last, false));
      return { outcome, events: written.map(recorded) };
    },
    stream: (name, options = {}) => selected(streams.get(name) ?? [], options).map(recorded),
    stretch: (after, upTo, limit = Infinity, { streamPrefix = '', types }) => {
      const events: Stored[] = [];
      for (let index = indexBehind(all, after); events.length < limit; index += 1) {
        const event = all[index];
        if (event === undefined || event.position > upTo) break;
        const isWanted = event.stream.startsWith(streamPrefix) && (types?.includes(event.type) ?? true);
        if (isWanted) events.push(event);
      }
      const reached = events.length >= limit ? (events.at(-1)?.position ?? after) : upTo;
      return { events: events.map(recorded), upTo: reached < after ? after : reached };
    },
    end: () => position,
  };
};
