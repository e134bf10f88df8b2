/** A live table beside its copy from the history, row by row. */
import type { Projection, Table } from '../../projections/projection.js';
import { historyRowsSql, liveRowsSql, pairedBy } from './canonical.js';
import type { Place } from './sink.js';
import { rowsOf, type Queryable } from './statement.js';

export interface Difference {
  readonly table: string;
  /** Missing: history has it and the table has not. Extra: the reverse. */
  readonly kind: 'missing' | 'extra' | 'different';
  readonly key: Readonly<Record<string, string | null>>;
  /** Columns that differ: what stands there, and what history says. */
  readonly columns: Readonly<
    Record<string, { readonly live: string | null; readonly history: string | null }>
  >;
}

export interface Comparison {
  /** Rows of the live tables. */
  readonly rows: number;
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  /** The first of them. */
  readonly differences: readonly Difference[];
}

export interface Places {
  readonly live: Place;
  readonly copy: Place;
}

const SHOWN = 20;

/** All columns as one value. */
export const rowOf = (alias: string, table: Table): string =>
  `ROW(${Object.keys(table.columns)
    .map((column) => `${alias}.${column}`)
    .join(', ')})`;

const pairs = (table: Table, { live, copy }: Places): string => {
  const on = pairedBy(table).map((column) => `l.${column} = h.${column}`);
  return `(${liveRowsSql(table, live)}) l FULL JOIN (${historyRowsSql(table, copy, live.schema)}) h ON ${on.join(' AND ')}`;
};

const countSql = (table: Table, places: Places): string => {
  const [key] = table.key;
  return `
SELECT
  count(*) FILTER (WHERE l.${key} IS NOT NULL)::text,
  count(*) FILTER (WHERE l.${key} IS NULL AND h.counts)::text,
  count(*) FILTER (WHERE h.${key} IS NULL)::text,
  count(*) FILTER (WHERE l.${key} IS NOT NULL AND h.${key} IS NOT NULL AND ${rowOf('l', table)} IS DISTINCT FROM ${rowOf('h', table)})::text
FROM ${pairs(table, places)}`;
};

const asText = (alias: string, table: Table): string =>
  `CASE WHEN ${alias}.${table.key[0]} IS NOT NULL THEN json_build_array(${Object.keys(table.columns)
    .map((column) => `${alias}.${column}::text`)
    .join(', ')})::text END`;

const differencesSql = (table: Table, places: Places): string => `
SELECT ${asText('l', table)}, ${asText('h', table)}
FROM ${pairs(table, places)}
WHERE ${rowOf('l', table)} IS DISTINCT FROM ${rowOf('h', table)} AND (l.${table.key[0]} IS NOT NULL OR h.counts)
ORDER BY ${table.key.map((column) => `coalesce(l.${column}, h.${column})`).join(', ')}
LIMIT ${SHOWN}`;

type Texts = readonly (string | null)[];

const textsOf = (json: string | null | undefined): Texts | undefined =>
  json === null || json === undefined ? undefined : (JSON.parse(json) as Texts);

const differenceOf = (table: Table, live: Texts | undefined, history: Texts | undefined): Difference => {
  const names = Object.keys(table.columns);
  const cell = (texts: Texts | undefined, name: string) => texts?.[names.indexOf(name)] ?? null;
  const key = Object.fromEntries(table.key.map((name) => [name, cell(live ?? history, name)]));
  const kind = live === undefined ? 'missing' : history === undefined ? 'extra' : 'different';
  const differing =
    kind === 'different' ? names.filter((name) => cell(live, name) !== cell(history, name)) : [];
  const columns = Object.fromEntries(
    differing.map((name) => [name, { live: cell(live, name), history: cell(history, name) }]),
  );
  return { table: table.name, kind, key, columns };
};

const compareTable = async (db: Queryable, table: Table, places: Places): Promise<Comparison> => {
  const [counts = []] = await rowsOf(db, { text: countSql(table, places) }, []);
  const [rows = 0, missing = 0, extra = 0, different = 0] = counts.map(Number);
  const found =
    missing + extra + different === 0 ? [] : await rowsOf(db, { text: differencesSql(table, places) }, []);
  const differences = found.map(([live, history]) => differenceOf(table, textsOf(live), textsOf(history)));
  return { rows, missing, extra, different, differences };
};

const nothing: Comparison = { rows: 0, missing: 0, extra: 0, different: 0, differences: [] };

export const compareProjection = async (
  db: Queryable,
  { tables }: Projection,
  places: Places,
): Promise<Comparison> => {
  let sum = nothing;
  for (const table of tables) {
    const next = await compareTable(db, table, places);
    sum = {
      rows: sum.rows + next.rows,
      missing: sum.missing + next.missing,
      extra: sum.extra + next.extra,
      different: sum.different + next.different,
      differences: [...sum.differences, ...next.differences].slice(0, SHOWN),
    };
  }
  return sum;
};

export const isEqual = ({ missing, extra, different }: Comparison): boolean =>
  missing + extra + different === 0;
