/**
 * Appends in bulk, by COPY: all of them or none. For streams whose expected revision is known to have been there: what is left to go
 * wrong is that somebody was faster, which the primary key tells, or a value that the server refuses; then append.ts judges each stream
 * by itself. An event costs the server half of what it costs through parameters, and the client a third.
 */
import { isAboutValues } from './error-mapping.js';
import type { EncodedAppend } from '../encoded-append.js';
import type { Fragment } from './append-statement.js';
import { copyIn } from './copy-in.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { inSavepoint, inTransaction } from './transaction.js';
import { isPool, prepared, rowsOf, withClient, type Queryable, type Statement } from './statement.js';
import type pg from 'pg';

export interface BulkTarget {
  readonly db: Queryable;
  readonly schema: SchemaName;
  /** The client's transaction is ours: a savepoint may be set in it. */
  readonly isOwnTransaction: boolean;
}

/** From here on COPY is cheaper: with fewer events the further trips outweigh it. */
const FEW_EVENTS = 20;

export const isForCopy = (
  { db, isOwnTransaction }: BulkTarget,
  appends: readonly EncodedAppend[],
  fragments: readonly Fragment[],
): boolean => {
  if (!isPool(db) && !isOwnTransaction) return false;
  let count = 0;
  for (const { append, events } of appends) {
    if (append.expected !== 'no-stream' && append.isSeen !== true) return false;
    count += events.length;
    if (events.some(({ recordedAt }) => recordedAt !== undefined)) return false;
  }
  return count >= FEW_EVENTS && fragments.every(({ goesFirst }) => goesFirst !== true);
};

const COPY = 'COPY __schema__.event (stream, revision, id, type, data, metadata) FROM STDIN';

/** A JSON text has no bare tab or line feed in it; of what COPY gives a meaning it holds backslashes alone. */
const jsonCell = (text: string): string => (text.includes('\\') ? text.replaceAll('\\', '\\\\') : text);

const SPECIAL = /[\\\t\n\r]/;

const nameCell = (name: string): string =>
  SPECIAL.test(name)
    ? jsonCell(name).replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    : name;

const linesOf = (appends: readonly EncodedAppend[]): string => {
  let lines = '';
  for (const { append, events } of appends) {
    const stream = nameCell(append.stream);
    for (const { revision, id, type, data, metadata } of events) {
      lines += `${stream}\t${revision}\t${id}\t${nameCell(type)}\t${jsonCell(data)}\t${jsonCell(metadata)}\n`;
    }
  }
  return lines;
};

const inlineStatement = (schema: SchemaName, fragments: readonly Fragment[]): Statement => {
  let offset = 1;
  const writes = fragments.map(({ sql, params }) => {
    const base = offset + 1;
    offset += params.length;
    return sql((index) => `$${base + index}`);
  });
  const won = 'won AS MATERIALIZED (SELECT s.stream FROM unnest((SELECT $1::text[])) AS s (stream))';
  return prepared('inline', inSchema(`WITH ${[won, ...writes].join(', ')} SELECT`, schema));
};

/** False where nothing was written, because one of the streams or values stands in the way. */
export const copyAppend = async (
  { db, schema, isOwnTransaction }: BulkTarget,
  appends: readonly EncodedAppend[],
  fragments: readonly Fragment[],
): Promise<boolean> => {
  const write = async (client: pg.ClientBase): Promise<void> => {
    if (fragments.length > 0) await writeInline(client, schema, appends, fragments);
    await copyIn(client, inSchema(COPY, schema), linesOf(appends));
  };
  try {
    await withClient(db, (client) => {
      if (isOwnTransaction) return inSavepoint(client, () => write(client));
      return fragments.length === 0 ? write(client) : inTransaction(client, () => write(client));
    });
    return true;
  } catch (error) {
    if (isAboutValues(error)) return false;
    throw error;
  }
};

const writeInline = async (
  client: pg.ClientBase,
  schema: SchemaName,
  appends: readonly EncodedAppend[],
  fragments: readonly Fragment[],
): Promise<void> => {
  const streams = appends.map(({ append }) => append.stream);
  const values = [streams, ...fragments.flatMap(({ params }) => params)];
  await rowsOf(client, inlineStatement(schema, fragments), values);
};
