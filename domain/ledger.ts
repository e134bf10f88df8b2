/** The words of an event store: stream, revision, position, recorded event, expected revision (DESIGN.md §3). */
import * as t from 'io-ts';
import type { LedgerEvent } from './events.js';

/** A 64-bit integer as events carry it: decimal digits, which no JSON parser rounds. It is a `bigint` wherever it is counted with. */
const isDecimal = (value: unknown): value is string => typeof value === 'string' && /^\d{1,19}$/.test(value);

export const DecimalString = new t.Type<string, string, unknown>(
  'DecimalString',
  isDecimal,
  (value, context) => (isDecimal(value) ? t.success(value) : t.failure(value, context)),
  t.identity,
);

/** `job-<uuid>`, `queue-<uuid>`, `schedule-<uuid>`, `runner-<uuid>`, `ledger`. */
export type StreamName = string;
/** Place of an event in its stream, from 0. */
export type Revision = bigint;
/** Place of an event in the whole history; rising, with gaps. */
export type Position = bigint;

export const START: Position = 0n;

/** The condition of every append: the stream does not exist, or its last revision is exactly this. Never "any". */
export type ExpectedRevision = 'no-stream' | Revision;

export const nextRevision = (expected: ExpectedRevision): Revision =>
  expected === 'no-stream' ? 0n : expected + 1n;

export const Metadata = t.type({
  schemaVersion: t.number,
  correlationId: t.string,
  causationId: t.string,
  by: t.string,
  occurredAt: t.string,
});
export type Metadata = t.TypeOf<typeof Metadata>;

/** An event as it is handed to the store. `data` is plain JSON; `id` is a UUID: the command's own, or one derived from it. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: Metadata;
  /** The typed event that `data` was encoded from, where the writer has it: whoever needs it need not decode again. */
  readonly event?: LedgerEvent;
  /** Kept where a ledger is restored; otherwise the store's clock decides. ISO-8601 UTC. */
  readonly recordedAt?: string;
}

/** An event as the store gives it back. `data` has not been decoded yet. */
export interface RecordedEvent {
  readonly position: Position;
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: Metadata;
  readonly recordedAt: string;
}

/** Of what concerns the history as a whole. */
export const LEDGER_STREAM: StreamName = 'ledger';

export const jobStream = (jobId: string): StreamName => `job-${jobId}`;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const isUuid = (text: string): boolean => UUID.test(text);

/** The job's id, or undefined where the stream is not a job's: `job-` and a UUID, nothing else. */
export const jobIdOf = (stream: StreamName): string | undefined => {
  const id = stream.slice(4);
  return stream.startsWith('job-') && isUuid(id) ? id : undefined;
};
