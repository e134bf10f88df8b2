/**
 * Enqueues in a transaction that is somebody else's. Nothing is appended before it commits, and then by a deferred trigger: an event's
 * position is drawn when it can soon be seen, however long the transaction has been open.
 */
import { isLeft } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { explainStoreError, rejected, type StoreError } from '../../domain/errors.js';
import type { LedgerEvent } from '../../domain/events.js';
import type { NewEvent, StreamName } from '../../domain/ledger.js';
import type { Projection } from '../../projections/projection.js';
import { encodeAppend, type EncodedAppend } from '../encoded-append.js';
import { jsonArray, textArray } from './binary-array.js';
import { attempt, StoreFailure } from './error-mapping.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { jsonRow } from './sink.js';
import { prepared, rowsOf } from './statement.js';

const KNOWN = `
SELECT s.stream FROM unnest($1::text[]) AS s(stream)
WHERE EXISTS (SELECT FROM __schema__.event e WHERE e.stream = s.stream AND e.revision = 0)
  OR EXISTS (SELECT FROM __schema__.enqueue_at_commit p WHERE p.stream = s.stream)`;

const ADD = `
INSERT INTO __schema__.enqueue_at_commit (stream, id, type, data, metadata, rows)
SELECT i.stream, i.id, i.type, i.data, i.metadata, i.rows
FROM unnest($1::text[], $2::uuid[], $3::text[], $4::json[], $5::json[], $6::json[])
  WITH ORDINALITY AS i (stream, id, type, data, metadata, rows, n)
ORDER BY i.n`;

/** The first event of a stream, and of nothing else. */
export interface FirstEvent {
  readonly stream: StreamName;
  readonly event: NewEvent & { readonly event: LedgerEvent };
}

export interface EnqueueAtCommit {
  /** Of these streams, those that exist, or will when this transaction commits. */
  readonly known: (streams: readonly StreamName[]) => TaskEither<StoreError, ReadonlySet<StreamName>>;
  /** All or none. A stream that somebody else begins until the commit stays as it is. */
  readonly add: (firsts: readonly FirstEvent[]) => TaskEither<StoreError, void>;
}

/** What the inline tables show of the event, by table. */
const rowsOfFirst = (projections: readonly Projection[], { stream, event }: FirstEvent): string => {
  const at = { stream, revision: 0n, id: event.id, metadata: event.metadata, event: event.event };
  const tables: Record<string, unknown> = {};
  for (const { table, change } of projections.flatMap(({ project }) => project(at))) {
    if (change._tag === 'Set') tables[table] = jsonRow(change.row);
  }
  return JSON.stringify(tables);
};

const encoded = ({ stream, event }: FirstEvent): EncodedAppend => {
  const append = encodeAppend({ stream, expected: 'no-stream', events: [event] });
  if (isLeft(append)) throw new StoreFailure(rejected(explainStoreError(append.left)));
  return append.right;
};

export const postgresEnqueueAtCommit = (
  client: pg.ClientBase,
  schema: SchemaName,
  projections: readonly Projection[],
): EnqueueAtCommit => {
  const known = prepared('known', inSchema(KNOWN, schema));
  const add = prepared('add', inSchema(ADD, schema));
  return {
    known: (streams) =>
      attempt(async () => {
        const rows = streams.length === 0 ? [] : await rowsOf(client, known, [textArray(streams)]);
        return new Set(rows.map(([stream]) => stream ?? ''));
      }),
    add: (firsts) =>
      attempt(async () => {
        if (firsts.length === 0) return;
        const events = firsts.flatMap((first) => encoded(first).events);
        await rowsOf(client, add, [
          textArray(firsts.map(({ stream }) => stream)),
          events.map(({ id }) => id),
          textArray(events.map(({ type }) => type)),
          jsonArray(events.map(({ data }) => data)),
          jsonArray(events.map(({ metadata }) => metadata)),
          jsonArray(firsts.map((first) => rowsOfFirst(projections, first))),
        ]);
      }),
  };
};
