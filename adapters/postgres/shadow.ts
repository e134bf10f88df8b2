/** The place beside the live tables where a rebuild grows: a schema of its own, with its own checkpoints, so that it can be resumed. */
import type pg from 'pg';
import type { Projection } from '../../projections/projection.js';
import { inPlace } from './checkpoint.js';
import { createCopies } from './copy-tables.js';
import { quoteIdentifier, type SchemaName } from './schema-name.js';
import type { Place } from './sink.js';
import { rowsOf, type Queryable } from './statement.js';
import { inTransaction } from './transaction.js';

export const shadowPlace = (schema: SchemaName): Place => ({
  schema: quoteIdentifier(`${schema}_rebuild`),
  isCopy: true,
});

const BOOKS = ['checkpoint', 'stopped', 'parked'] as const;

// Unlogged, the checkpoints too: after a crash of the server rows and checkpoints are gone together, and the rebuild begins anew.
const createBooks = (shadow: Place, live: Place): readonly string[] => [
  `SELECT pg_advisory_xact_lock(27244, hashtext('rebuild'))`,
  `CREATE SCHEMA IF NOT EXISTS ${shadow.schema}`,
  ...BOOKS.map(
    (name) =>
      `CREATE UNLOGGED TABLE IF NOT EXISTS ${shadow.schema}.${name} (LIKE ${live.schema}.${name} INCLUDING ALL)`,
  ),
];

const STORED = `SELECT c.version::text FROM __schema__.checkpoint c WHERE c.projection = $1`;

/** False where there was nothing to resume. */
const isBegun = async (
  db: Queryable,
  shadow: Place,
  { name, version, tables }: Projection,
): Promise<boolean> => {
  const [row] = await rowsOf(db, { text: inPlace(STORED, shadow) }, [name]);
  const there = tables.map((table) => `to_regclass('${shadow.schema}.${table.name}') IS NOT NULL`);
  const [found] = await rowsOf(db, { text: `SELECT (${there.join(' AND ')})::text` }, []);
  return Number(row?.[0]) === version && found?.[0] === 'true';
};

export const dropShadow = async (
  db: Queryable,
  shadow: Place,
  { name, tables }: Projection,
): Promise<void> => {
  for (const table of tables) {
    await rowsOf(db, { text: `DROP TABLE IF EXISTS ${shadow.schema}.${table.name}` }, []);
  }
  for (const book of BOOKS) {
    await rowsOf(db, { text: `DELETE FROM ${shadow.schema}.${book} WHERE projection = $1` }, [name]);
  }
};

/** Resumes what an earlier run of the same version has left, or begins. */
export const openShadow = async (
  client: pg.ClientBase,
  shadow: Place,
  live: Place,
  projection: Projection,
): Promise<void> => {
  await inTransaction(client, async () => {
    for (const text of createBooks(shadow, live)) await client.query(text);
    if (await isBegun(client, shadow, projection)) return;
    await dropShadow(client, shadow, projection);
    await createCopies(client, projection, shadow, live);
  });
};
