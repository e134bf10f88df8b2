/**
 * The file that carries a ledger from one store to another: NDJSON. A head, which names the history by its first event; an event a line, in
 * order, as `replay` shows it but without its position; and a line at the end that says how many there were.
 */
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { asKept } from '../../adapters/stored-data.js';
import { firstFlaw } from '../../domain/decoding.js';
import { parseInstant } from '../../domain/instant.js';
import {
  DecimalString,
  isUuid,
  Metadata,
  type NewEvent,
  type RecordedEvent,
  type Revision,
  type StreamName,
} from '../../domain/ledger.js';
import { toJson } from '../cli/output.js';
import { eventLine } from '../reading/event-line.js';

const VERSION = 1;

const textOf = (name: string, is: (text: string) => boolean) =>
  new t.Type<string, string, unknown>(
    name,
    (value): value is string => typeof value === 'string' && is(value),
    (value, context) =>
      typeof value === 'string' && is(value) ? t.success(value) : t.failure(value, context),
    t.identity,
  );

const Uuid = textOf('a lower-case UUID', isUuid);
const Instant = textOf('an instant', (text) => E.isRight(parseInstant(text)));

const First = t.type({ stream: t.string, revision: DecimalString, id: Uuid });

/** `first` is null where the ledger was empty. */
const Head = t.type({
  format: t.literal('jobledger'),
  version: t.literal(VERSION),
  first: t.union([First, t.null]),
});
export type Head = t.TypeOf<typeof Head>;

const End = t.strict({ events: t.number });
const Event = t.type({
  stream: t.string,
  revision: DecimalString,
  id: Uuid,
  type: t.string,
  data: t.union([t.UnknownRecord, t.UnknownArray]),
  metadata: t.intersection([Metadata, t.type({ recordedAt: Instant })]),
});

export interface FileEvent {
  /** Of the file, from 1. */
  readonly line: number;
  readonly bytes: number;
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly event: NewEvent;
}

export type FileLine =
  { readonly _tag: 'Event'; readonly event: FileEvent } | { readonly _tag: 'End'; readonly events: number };

export const headText = (first: RecordedEvent | undefined): string => {
  const named = first === undefined ? null : { stream: first.stream, revision: first.revision, id: first.id };
  return `${toJson({ format: 'jobledger', version: VERSION, first: named })}\n`;
};

export const eventText = (recorded: RecordedEvent): string => {
  const { position: _, ...line } = eventLine(recorded);
  return `${toJson(line)}\n`;
};

export const endText = (events: number): string => `${toJson({ events })}\n`;

const parsed = (text: string): E.Either<string, unknown> => {
  try {
    return E.right(JSON.parse(text));
  } catch (error) {
    return E.left(`is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
};

export const readHead = (text: string): E.Either<string, Head> => {
  const value = parsed(text);
  return E.isLeft(value) ? value : E.mapLeft(firstFlaw)(Head.decode(value.right));
};

export const readLine = (line: number, text: string): E.Either<string, FileLine> => {
  const value = parsed(text);
  if (E.isLeft(value)) return value;
  if (End.is(value.right)) return E.right({ _tag: 'End', events: value.right.events });
  const decoded = Event.decode(value.right);
  if (E.isLeft(decoded)) return E.left(firstFlaw(decoded.left));
  const { stream, revision, id, type, data, metadata } = decoded.right;
  const { recordedAt, ...rest } = metadata;
  const event = asKept({ id, type, data, metadata: rest, recordedAt });
  return E.right({
    _tag: 'Event',
    event: { line, bytes: text.length, stream, revision: BigInt(revision), event },
  });
};
