/**
 * What counts when a table is compared with the history. A row that can never matter again may have been dropped by housekeeping:
 * that it is missing is no difference, while one that is there has to be right. Which rows those are is said here, once.
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

// As a list that is made once: looked up row by row, each success would be compared with every other row.
const countsAsDuplicate = (schema: string, ledger: string): string => `t.begun_revision IS NULL OR t.job IN (
  SELECT b.job
  FROM ${schema}.duplicate b
  JOIN ${schema}.duplicate w ON w.wiki = b.wiki AND w.type = b.type AND w.sha1 = b.sha1
  JOIN ${eventOf('begun', 'b.job', 'b.begun_revision', ledger)}
  JOIN ${eventOf('enqueued', 'w.job', 'w.enqueued_revision', ledger)}
  WHERE b.begun_revision IS NOT NULL AND w.begun_revision IS NULL AND enqueued.position < begun.position
)`;

const countsAsRoot = (schema: string): string => `t.job NOT IN (
  SELECT r.job
  FROM ${schema}.root_job r
  JOIN (
    SELECT wiki, type, signature, max(timestamp) AS newest
    FROM ${schema}.root_job
    WHERE state = 'succeeded'
    GROUP BY wiki, type, signature
  ) n ON n.wiki = r.wiki AND n.type = r.type AND n.signature = r.signature
  WHERE ${isOutrunRoot('r', 'n.newest')}
)`;

/** `duplicate`: a job that has succeeded counts while an equal one waits that was enqueued before that success began. */
const counts = (table: Table, schema: string, ledger: string): string => {
  switch (table.name) {
    case duplicateTable.name:
      return countsAsDuplicate(schema, ledger);
    case rootJobTable.name:
      return countsAsRoot(schema);
    default:
      return 'true';
  }
};

const READY_PART = 'part';

/** Columns that rows are paired by. A job that stood in both ready tables would be a fault: the second row finds no partner. */
export const pairedBy = (table: Table): readonly string[] =>
  table.name === readyJobTable.name ? [...table.key, READY_PART] : table.key;

const select = (table: Table): readonly string[] => [
  ...Object.keys(table.columns).map((column) => `t.${column}`),
  ...(table.name === readyJobTable.name ? [`row_number() OVER (PARTITION BY t.job) AS ${READY_PART}`] : []),
];

export const liveRowsSql = (table: Table, { schema }: Place): string => {
  const columns = Object.keys(table.columns).join(', ');
  const from =
    table.name === readyJobTable.name
      ? `(SELECT ${columns} FROM ${schema}.ready_job UNION ALL SELECT ${columns} FROM ${schema}.delayed_job)`
      : `${schema}.${table.name}`;
  return `SELECT ${select(table).join(', ')} FROM ${from} t`;
};

/** Rows as the history has them, and whether each counts. `ledger` is the quoted schema of the history. */
export const historyRowsSql = (table: Table, copy: Place, ledger: string): string =>
  `SELECT ${select(table).join(', ')}, (${counts(table, copy.schema, ledger)}) AS counts FROM ${copy.schema}.${table.name} t`;
