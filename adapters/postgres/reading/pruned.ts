/** What people ask of the table of pruned jobs. */
import * as TE from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import type { PrunedEntry, ReadingDesk } from '../../../projections/reading-desk.js';
import { attempt } from '../error-mapping.js';
import { inSchema, type SchemaName } from '../schema-name.js';
import { rowsOf, type Cells } from '../statement.js';

const BY_ID = `SELECT p.job::text, p.entry::text FROM __schema__.pruned_job p WHERE p.job = $1::uuid`;
const BY_NUMBER = `
SELECT p.job::text, p.entry::text FROM __schema__.pruned_job p WHERE p.number = $1::bigint ORDER BY p.entry DESC LIMIT 1`;
const AMONG = `SELECT p.job::text, p.entry::text FROM __schema__.pruned_job p WHERE p.job = ANY ($1::uuid[])`;

const entryOf = ([row]: readonly Cells[]): PrunedEntry | undefined =>
  row === undefined ? undefined : { jobId: row[0] ?? '', entry: BigInt(row[1] ?? 0) };

export const prunedAmong =
  (pool: pg.Pool, schema: SchemaName): ReadingDesk['prunedAmong'] =>
  (jobIds) =>
    attempt(async () => {
      const rows = jobIds.length === 0 ? [] : await rowsOf(pool, { text: inSchema(AMONG, schema) }, [jobIds]);
      return new Map(rows.map(([job, entry]) => [job ?? '', BigInt(entry ?? 0)]));
    });

export const readingOfPruned = (
  pool: pg.Pool,
  schema: SchemaName,
): Pick<ReadingDesk, 'prunedEntry' | 'prunedAmong'> => {
  const asked = (text: string, value: unknown) =>
    attempt(() => rowsOf(pool, { text: inSchema(text, schema) }, [value]));
  return {
    prunedEntry: (key) =>
      TE.map(entryOf)('jobId' in key ? asked(BY_ID, key.jobId) : asked(BY_NUMBER, key.number.toString())),
    prunedAmong: prunedAmong(pool, schema),
  };
};
