/** What every store checks before it writes: a stream's share of an append as text, or why it cannot be stored. */
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js';
import { hasLoneSurrogate } from '../domain/bytes.js';
import { rejected, type AppendError } from '../domain/errors.js';
import { parseInstant } from '../domain/instant.js';
import { isUuid, nextRevision, type NewEvent, type Revision, type StreamName } from '../domain/ledger.js';
import type { StreamAppend } from '../domain/ports.js';
import { briefData } from './stored-data.js';
import { storedMetadata } from './stored-metadata.js';

/** Largest event, data and metadata as JSON: an imported job of 16 MiB fits, whose params it holds as JSON and as they were. */
export const EVENT_BYTES = 40 * 1024 * 1024;
/** Largest share of one stream, which has to travel in one piece. */
export const STREAM_BYTES = 64 * 1024 * 1024;

export interface EncodedEvent {
  readonly revision: Revision;
  readonly id: string;
  readonly type: string;
  /** As it is kept: what can be told from the event itself is left out. */
  readonly kept: object;
  /** `kept` as JSON. */
  readonly data: string;
  readonly metadata: string;
  readonly recordedAt: string | undefined;
}

export interface EncodedAppend {
  readonly append: StreamAppend;
  readonly events: readonly EncodedEvent[];
  /** Revision of the last event. */
  readonly last: Revision;
  readonly bytes: number;
}

const MAX_REVISION = 2n ** 63n - 1n;

const isStorableName = (name: string): boolean =>
  name !== '' && !name.includes('\0') && !hasLoneSurrogate(name);

const instantOf = (text: string): string | undefined => {
  const instant = parseInstant(text);
  return isRight(instant) ? instant.right : undefined;
};

/** Why the event cannot be stored, as the end of a sentence; undefined where it can. A typed one was made here, id and type included. */
const flawOf = (event: NewEvent): string | undefined => {
  const isOurs = event.event !== undefined;
  if (!isOurs && !isUuid(event.id)) return `its id ${JSON.stringify(event.id)} is not a lower-case UUID`;
  if (!isOurs && !isStorableName(event.type))
    return `its type ${JSON.stringify(event.type)} cannot be stored`;
  if (event.recordedAt !== undefined && instantOf(event.recordedAt) === undefined) {
    return `its recordedAt ${JSON.stringify(event.recordedAt)} is not an instant`;
  }
  return undefined;
};

const encodeEvent = (
  stream: StreamName,
  event: NewEvent,
  revision: Revision,
): Either<AppendError, EncodedEvent> => {
  const flaw = flawOf(event);
  if (flaw !== undefined)
    return left(rejected(`event ${event.type} of stream ${stream} is refused: ${flaw}`));
  try {
    const brief = briefData(event);
    const kept = brief ?? event.data;
    return right({
      revision,
      id: event.id,
      type: event.type,
      kept,
      data: JSON.stringify(kept),
      metadata: storedMetadata(event.id, event.metadata, brief !== undefined),
      recordedAt: event.recordedAt === undefined ? undefined : instantOf(event.recordedAt),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return left(rejected(`event ${event.type} of stream ${stream} is not JSON: ${reason}`));
  }
};

/** Bytes in UTF-8; of a short text, about: its characters. No limit is near then, and counting takes as long as encoding. */
const SHORT = 100_000;
const sizeOf = (text: string): number => (text.length < SHORT ? text.length : Buffer.byteLength(text));

export const encodeAppend = (append: StreamAppend): Either<AppendError, EncodedAppend> => {
  const { stream, expected, events } = append;
  const first = nextRevision(expected);
  if (!isStorableName(stream))
    return left(rejected(`the stream name ${JSON.stringify(stream)} cannot be stored`));
  if (events.length === 0) return left(rejected(`the append to ${stream} has no events`));
  if (first < 0n || first + BigInt(events.length) > MAX_REVISION) {
    return left(rejected(`${expected} is not a revision that stream ${stream} can have`));
  }
  const encoded: EncodedEvent[] = [];
  let bytes = 0;
  for (const [index, event] of events.entries()) {
    const next = encodeEvent(stream, event, first + BigInt(index));
    if (isLeft(next)) return next;
    const size = sizeOf(next.right.data) + sizeOf(next.right.metadata);
    if (size > EVENT_BYTES) return left({ _tag: 'TooLarge', stream, bytes: size, limit: EVENT_BYTES });
    bytes += size;
    encoded.push(next.right);
  }
  if (bytes > STREAM_BYTES) return left({ _tag: 'TooLarge', stream, bytes, limit: STREAM_BYTES });
  return right({ append, events: encoded, last: first + BigInt(events.length) - 1n, bytes });
};

/** The stream that occurs more than once in a call, if any. */
export const repeatedStream = (appends: readonly StreamAppend[]): StreamName | undefined => {
  const seen = new Set<StreamName>();
  return appends.find(({ stream }) => seen.size === seen.add(stream).size)?.stream;
};
