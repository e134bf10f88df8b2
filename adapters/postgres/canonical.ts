/**
 * What of a table counts when it is compared with the history. Rows that can never matter again may have been dropped by
 * housekeeping or not; which those are is said here, once.
 */
import { duplicateTable } from '../../projections/duplicate.js';
import type { Table } from '../../projections/projection.js';
import { readyJobTable } from '../../projections/ready-job.js';
import { rootJobTable } from '../../projections/root-job.js';
import type { Place } from './sink.js';

/** `root_job`: a root that has begun counts no more once one of its family with a later timestamp has succeeded. */
export const isOutrunRoot = (root: string, newestSucceeded: string): string =>
  `${root}.state <> 'waiting' AND ${root}.timestamp < ${newestSucceeded}`;

const eventOf = (alias: string, job: string, revision: string, ledger: string): string =>
  `${ledger}.event ${alias} ON ${alias}.stream = 'job-' || ${job} AND ${alias}.revision = ${revision}`;

const plain = (table: Table, from: string, more = ''): string =>
  `SELECT ${Object.keys(table.columns)
    .map((column) => `t.${column}`)
    .join(', ')} FROM ${from} t${more}`;

/** `duplicate`: a job that has succeeded counts while an equal one waits that was enqueued before that success began. */
const duplicates = (schema: string, ledger: string): string => `${plain(
  duplicateTable,
  `${schema}.duplicate`,
  ' WHERE t.begun_revision IS NULL',
)}
UNION ALL
${plain(duplicateTable, `${schema}.duplicate`)} WHERE t.begun_revision IS NOT NULL AND t.job IN (
  SELECT b.job
  FROM ${schema}.duplicate b
  JOIN ${schema}.duplicate w ON w.wiki = b.wiki AND w.type = b.type AND w.sha1 = b.sha1
  JOIN ${eventOf('begun', 'b.job', 'b.begun_revision', ledger)}
  JOIN ${eventOf('enqueued', 'w.job', 'w.enqueued_revision', ledger)}
  WHERE b.begun_revision IS NOT NULL AND w.begun_revision IS NULL AND enqueued.position < begun.position
)`;

const roots = (schema: string): string => `${plain(rootJobTable, `${schema}.root_job`)}
LEFT JOIN (
  SELECT wiki, type, signature, max(timestamp) AS newest
  FROM ${schema}.root_job
  WHERE state = 'succeeded'
  GROUP BY wiki, type, signature
) n ON n.wiki = t.wiki AND n.type = t.type AND n.signature = t.signature
WHERE (${isOutrunRoot('t', 'n.newest')}) IS NOT TRUE`;

const READY_PART = 'part';

// A job that stood in both tables would be a fault: rows of one job are numbered, so that the second finds no partner.
const readyJobs = (from: string): string =>
  `SELECT ${Object.keys(readyJobTable.columns).join(', ')}, row_number() OVER (PARTITION BY job) AS ${READY_PART} FROM ${from} t`;

/** Columns beside the key that rows are paired by. */
export const pairedBy = (table: Table): readonly string[] =>
  table.name === readyJobTable.name ? [...table.key, READY_PART] : table.key;

/** The rows that count, as a query. `ledger` is the quoted schema that the history is in. */
export const canonicalSql = (table: Table, { schema, isCopy }: Place, ledger: string): string => {
  switch (table.name) {
    case readyJobTable.name:
      return readyJobs(
        isCopy
          ? `${schema}.ready_job`
          : `(SELECT * FROM ${schema}.ready_job UNION ALL SELECT * FROM ${schema}.delayed_job)`,
      );
    case duplicateTable.name:
      return duplicates(schema, ledger);
    case rootJobTable.name:
      return roots(schema);
    default:
      return plain(table, `${schema}.${table.name}`);
  }
};
