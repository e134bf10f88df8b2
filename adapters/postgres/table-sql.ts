/**
 * Statements that write a projection's table set-wise. Each takes its rows as one JSON parameter. `__schema__` stands for the quoted
 * schema, as in all SQL of this folder.
 */
import type { Table } from '../../projections/projection.js';

/** Where a statement's rows come from. */
export interface RowSource {
  /** Placeholder of the JSON array of rows. */
  readonly param: string;
  /** Only rows whose member `owner` is a stream in the CTE `won` count. */
  readonly onlyWon?: boolean;
}

const ROWS: RowSource = { param: '$1' };

const list = (columns: readonly string[], alias?: string): string =>
  columns.map((column) => (alias === undefined ? column : `${alias}.${column}`)).join(', ');

const columnsOf = (table: Table): readonly string[] => Object.keys(table.columns);

export const countersOf = (table: Table): readonly string[] =>
  columnsOf(table).filter((column) => !table.key.includes(column));

export const tableName = ({ name }: Table): string => `__schema__.${name}`;

// `IN` alone would become a join, whose method the planner picks from guesses; as a value it is one hashed look-up per row.
const WON = ` WHERE (v.owner IN (SELECT w.stream FROM won w)) IS TRUE`;

/** `v`, a record set with the given columns in their types. */
export const rowsFrom = (table: Table, columns: readonly string[], source: RowSource): string => {
  const typed = columns.map((column) => `${column} ${table.columns[column]}`);
  const record = [...typed, ...(source.onlyWon === true ? ['owner text'] : [])].join(', ');
  return `json_to_recordset(${source.param}::json) AS v (${record})${source.onlyWon === true ? WON : ''}`;
};

const sameKey = (table: Table, left: string, right: string): string =>
  table.key.map((column) => `${left}.${column} = ${right}.${column}`).join(' AND ');

/** Rows that were not there before. */
export const insertSql = (table: Table, source = ROWS): string => {
  const columns = columnsOf(table);
  return `INSERT INTO ${tableName(table)} (${list(columns)})
SELECT ${list(columns, 'v')} FROM ${rowsFrom(table, columns, source)}`;
};

/** Rows that take the place of what stands there. */
export const upsertSql = (table: Table, source = ROWS): string => {
  const columns = columnsOf(table);
  const values = columns.filter((column) => !table.key.includes(column));
  return `${insertSql(table, source)}
ON CONFLICT (${list(table.key)}) DO UPDATE SET ${values.map((column) => `${column} = excluded.${column}`).join(', ')}`;
};

/** With a key of one column the keys become an array first: then the index is used, whatever the statistics say. */
export const deleteSql = (table: Table, source = ROWS): string => {
  const rows = rowsFrom(table, table.key, source);
  const [key] = table.key;
  return table.key.length === 1
    ? `DELETE FROM ${tableName(table)} t WHERE t.${key} = ANY (ARRAY(SELECT v.${key} FROM ${rows}))`
    : `DELETE FROM ${tableName(table)} t USING (SELECT ${list(table.key, 'v')} FROM ${rows}) v WHERE ${sameKey(table, 't', 'v')}`;
};

/** Some columns of rows that are there; the rest is left as it is. */
export const patchSql = (table: Table, columns: readonly string[], source = ROWS): string => {
  const needed = [...table.key, ...columns];
  return `UPDATE ${tableName(table)} t SET ${columns.map((column) => `${column} = v.${column}`).join(', ')}
FROM (SELECT ${list(needed, 'v')} FROM ${rowsFrom(table, needed, source)}) v WHERE ${sameKey(table, 't', 'v')}`;
};

/** Counters added to; a counter that a row does not name is left alone. */
export const addSql = (table: Table): string => {
  const columns = columnsOf(table);
  const counters = countersOf(table);
  const values = columns.map((column) =>
    counters.includes(column) ? `coalesce(v.${column}, 0)` : `v.${column}`,
  );
  return `INSERT INTO ${tableName(table)} AS t (${list(columns)})
SELECT ${values.join(', ')} FROM ${rowsFrom(table, columns, ROWS)}
ON CONFLICT (${list(table.key)}) DO UPDATE SET ${counters.map((column) => `${column} = t.${column} + excluded.${column}`).join(', ')}`;
};

/** A sum whose counters are all 0 is no row. */
export const clearZeroSql = (table: Table): string => {
  const zero = countersOf(table).map((column) => `t.${column} = 0`);
  return `${deleteSql(table)} AND ${zero.join(' AND ')}`;
};

/** Rows as lines of text: cheaper than JSON where they are many (copy-lines.ts). */
export const copySql = (table: Table): string =>
  `COPY ${tableName(table)} (${list(columnsOf(table))}) FROM STDIN`;
