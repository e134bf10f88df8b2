/** Makes a live table say what its copy says, touching only rows that differ: readers never see it empty or half done. */
import type { Projection, Table } from '../../projections/projection.js';
import { readyJobTable } from '../../projections/ready-job.js';
import { historyRowsSql } from './canonical.js';
import { rowOf, type Places } from './compare.js';
import { rowsOf, type Queryable } from './statement.js';

const isSameKey = (table: Table, one: string, other: string): string =>
  table.key.map((column) => `${one}.${column} = ${other}.${column}`).join(' AND ');

const deleteDiffering = (name: string, table: Table, { live, copy }: Places): string => `
DELETE FROM ${live.schema}.${name} l WHERE NOT EXISTS (
  SELECT FROM ${copy.schema}.${table.name} h
  WHERE ${isSameKey(table, 'h', 'l')} AND ${rowOf('h', table)} IS NOT DISTINCT FROM ${rowOf('l', table)}
)`;

interface Missing {
  readonly into: string;
  /** Tables in none of which the row stands. */
  readonly lacking: readonly string[];
  readonly condition?: string;
}

const insertMissing = (
  table: Table,
  { live, copy }: Places,
  { into, lacking, condition }: Missing,
): string => {
  const columns = Object.keys(table.columns);
  const absent = lacking.map(
    (name) => `NOT EXISTS (SELECT FROM ${live.schema}.${name} l WHERE ${isSameKey(table, 'l', 'h')})`,
  );
  return `
INSERT INTO ${live.schema}.${into} (${columns.join(', ')})
SELECT ${columns.map((column) => `h.${column}`).join(', ')}
FROM (${historyRowsSql(table, copy, live.schema)}) h
WHERE ${['h.counts', ...absent, ...(condition === undefined ? [] : [condition])].join(' AND ')}`;
};

const READY_TABLES = ['ready_job', 'delayed_job'] as const;

const readyStatements = (places: Places): readonly string[] => {
  const { schema } = places.live;
  const missing = { lacking: READY_TABLES };
  return [
    `DELETE FROM ${schema}.ready_job r USING ${schema}.delayed_job d WHERE r.job = d.job`,
    ...READY_TABLES.map((name) => deleteDiffering(name, readyJobTable, places)),
    insertMissing(readyJobTable, places, {
      ...missing,
      into: 'ready_job',
      condition: '(h.due IS NULL OR h.due <= statement_timestamp())',
    }),
    insertMissing(readyJobTable, places, { ...missing, into: 'delayed_job' }),
  ];
};

const statements = (table: Table, places: Places): readonly string[] =>
  table.name === readyJobTable.name
    ? readyStatements(places)
    : [
        deleteDiffering(table.name, table, places),
        insertMissing(table, places, { into: table.name, lacking: [table.name] }),
      ];

/** Live tables that a projection's rows stand in. */
export const liveTables = ({ tables }: Projection): readonly string[] =>
  tables.flatMap(({ name }) => (name === readyJobTable.name ? READY_TABLES : [name]));

export const mergeProjection = async (
  db: Queryable,
  { tables }: Projection,
  places: Places,
): Promise<void> => {
  for (const table of tables) {
    for (const text of statements(table, places)) await rowsOf(db, { text }, []);
  }
};
