/** Reads of single streams and of stretches of the whole history. */
import pg from 'pg';
import type { Position, RecordedEvent, StreamName } from '../../domain/ledger.js';
import type { Filter, Page, ReadStreamOptions } from '../../domain/ports.js';
import { COPY_COLUMNS, copyEvents } from './event-copy.js';
import { EVENT_COLUMNS, eventOfCells } from './recorded-event.js';
import { inSchema, quoteIdentifier, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Queryable } from './statement.js';

const FORWARD = `
SELECT ${EVENT_COLUMNS}
FROM __schema__.event e
WHERE e.stream = $1 AND e.revision >= coalesce($2::bigint, 0) AND __schema__.only_by_index(e.revision)
ORDER BY e.revision
LIMIT $3::bigint`;

const BACKWARD = `
SELECT ${EVENT_COLUMNS}
FROM __schema__.event e
WHERE e.stream = $1 AND e.revision <= coalesce($2::bigint, 9223372036854775807)
  AND __schema__.only_by_index(e.revision)
ORDER BY e.revision DESC
LIMIT $3::bigint`;

const SEVERAL = `
SELECT ${EVENT_COLUMNS}
FROM __schema__.event e
WHERE e.stream = ANY ($1::text[]) AND __schema__.only_by_index(e.revision)
ORDER BY e.stream, e.revision`;

export const readStream = async (
  db: Queryable,
  schema: SchemaName,
  stream: StreamName,
  { direction = 'forward', from, limit }: ReadStreamOptions,
): Promise<readonly RecordedEvent[]> => {
  const query = prepared(`read-${direction}`, inSchema(direction === 'forward' ? FORWARD : BACKWARD, schema));
  const rows = await rowsOf(db, query, [stream, from === undefined ? null : String(from), limit ?? null]);
  return rows.map(eventOfCells);
};

export const readStreams = async (
  db: Queryable,
  schema: SchemaName,
  streams: readonly StreamName[],
): Promise<ReadonlyMap<StreamName, readonly RecordedEvent[]>> => {
  const rows = await rowsOf(db, prepared('read-streams', inSchema(SEVERAL, schema)), [[...streams]]);
  const found = new Map<StreamName, RecordedEvent[]>();
  for (const event of rows.map(eventOfCells)) {
    const events = found.get(event.stream);
    if (events === undefined) found.set(event.stream, [event]);
    else events.push(event);
  }
  return found;
};

export interface Stretch extends Filter {
  readonly after: Position;
  /** Has to be complete: nothing may appear at or before it any more. */
  readonly upTo: Position;
  readonly limit: number | undefined;
}

/** Where the extended protocol and COPY take the same time. */
const FEW_EVENTS = 200;
/** A page ends behind this many bytes, so that a history of large jobs is read in bearable pieces too. */
const PAGE_BYTES = 32 * 1024 * 1024;

// left() = … can use no index, which is wanted: a prefix such as `job-` takes nearly everything, and the order is by position.
const stretchQuery = (
  schema: SchemaName,
  columns: string,
  conditions: readonly string[],
  limit: string,
): string => `
SELECT ${columns}
FROM ${quoteIdentifier(schema)}.event e
WHERE ${conditions.join(' AND ')}
ORDER BY e.position
LIMIT ${limit}`;

const readFew = async (
  db: Queryable,
  schema: SchemaName,
  { after, upTo, streamPrefix, types }: Stretch,
  limit: number,
): Promise<readonly RecordedEvent[]> => {
  const conditions = [
    'e.position > $1',
    'e.position <= $2',
    '($3::text IS NULL OR left(e.stream, length($3)) = $3)',
    '($4::text[] IS NULL OR e.type = ANY ($4))',
  ];
  const text = stretchQuery(schema, EVENT_COLUMNS, conditions, '$5::bigint');
  const values = [
    String(after),
    String(upTo),
    streamPrefix ?? null,
    types === undefined ? null : [...types],
    limit,
  ];
  return (await rowsOf(db, { text }, values)).map(eventOfCells);
};

// COPY takes no parameters: positions are digits, and the filter's texts are quoted by node-postgres.
const copyQuery = (schema: SchemaName, { after, upTo, limit, streamPrefix, types }: Stretch): string => {
  const prefix = streamPrefix === undefined ? undefined : pg.escapeLiteral(streamPrefix);
  const conditions = [
    `e.position > ${after}`,
    `e.position <= ${upTo}`,
    ...(prefix === undefined ? [] : [`left(e.stream, length(${prefix})) = ${prefix}`]),
    ...(types === undefined ? [] : [`e.type IN (${['NULL', ...types.map(pg.escapeLiteral)].join(', ')})`]),
  ];
  return stretchQuery(schema, COPY_COLUMNS, conditions, limit === undefined ? 'ALL' : String(limit));
};

// PostgreSQL has no text with NUL in it, and the text of a query would end there: nothing can match.
const storable = (stretch: Stretch): Stretch => {
  const { streamPrefix = '', types } = stretch;
  if (streamPrefix.includes('\0')) return { ...stretch, streamPrefix: '', types: [] };
  return types === undefined ? stretch : { ...stretch, types: types.filter((type) => !type.includes('\0')) };
};

export const readStretch = async (db: Queryable, schema: SchemaName, asked: Stretch): Promise<Page> => {
  const stretch = storable(asked);
  const { after, upTo, limit } = stretch;
  if (upTo <= after || limit === 0) return { events: [], upTo: after };
  const isFew = limit !== undefined && limit <= FEW_EVENTS;
  const { events, isCut } = isFew
    ? { events: await readFew(db, schema, stretch, limit), isCut: false }
    : await copyEvents(db, copyQuery(schema, stretch), PAGE_BYTES);
  const last = events.at(-1)?.position;
  const isFull = isCut || events.length === limit;
  return { events, upTo: isFull && last !== undefined ? last : upTo };
};
