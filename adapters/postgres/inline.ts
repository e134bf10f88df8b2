/**
 * Row changes that commit with the events that cause them: CTEs of the append's own statement, each limited to rows whose stream
 * was won. On the hot path: what changes no row adds nothing to the statement.
 */
import { isLeft } from 'fp-ts/lib/Either.js';
import { decodeEvent, type LedgerEvent } from '../../domain/events.js';
import { nextRevision, type NewEvent } from '../../domain/ledger.js';
import type { StreamAppend } from '../../domain/ports.js';
import type { Projection, Table } from '../../projections/projection.js';
import { readyJobTable } from '../../projections/ready-job.js';
import { ChangeSet, type KeyedChange, type NetChanges, type Row } from '../../projections/row-change.js';
import type { InlineWrites } from './append.js';
import type { Fragment } from './append-statement.js';
import { jsonRow, sortChanges, type Sorted } from './sink.js';
import { deleteSql, insertSql, patchSql, rowsFrom, tableName, upsertSql } from './table-sql.js';

/** Attempts of jobs that are no roots and take no part in deduplication change no inline row; most are such. */
const isPlainAttempt = ({ type, data }: NewEvent): boolean =>
  (type === 'AttemptStarted' || type === 'AttemptSucceeded') && !('isRoot' in data) && !('sha1' in data);

const handlersByType = (projections: readonly Projection[]): ReadonlyMap<string, readonly Projection[]> => {
  const handlers = new Map<string, Projection[]>();
  for (const projection of projections) {
    for (const type of projection.handles) handlers.set(type, [...(handlers.get(type) ?? []), projection]);
  }
  return handlers;
};

const typedEvent = (next: NewEvent): LedgerEvent | undefined => {
  if (next.event !== undefined) return next.event;
  const decoded = decodeEvent(next);
  return isLeft(decoded) ? undefined : decoded.right;
};

/** An event that cannot be read changes no row here; what is appended raw is the catch-up's business to report. */
const changesOf = (
  appends: readonly StreamAppend[],
  handlers: ReadonlyMap<string, readonly Projection[]>,
): NetChanges => {
  const net = new ChangeSet();
  for (const { stream, expected, events } of appends) {
    const first = nextRevision(expected);
    for (const [index, next] of events.entries()) {
      const interested = handlers.get(next.type);
      if (interested === undefined || isPlainAttempt(next)) continue;
      const event = typedEvent(next);
      if (event === undefined) continue;
      const revision = first + BigInt(index);
      const at = { stream, revision, id: next.id, metadata: next.metadata, event };
      for (const projection of interested) {
        for (const change of projection.project(at)) net.fold(change);
      }
    }
  }
  return net.tables;
};

const withOwner = (row: Row, { owner }: KeyedChange): Row => {
  const json = jsonRow(row);
  json['owner'] = owner ?? '';
  return json;
};

const fragment = (
  name: string,
  rows: readonly (readonly Row[])[],
  sql: (...params: readonly string[]) => string,
): Fragment => ({
  name,
  params: rows.map((each) => (each.length === 0 ? null : JSON.stringify(each))),
  sql: (param) => `${name} AS (${sql(...rows.map((_, index) => param(index)))})`,
});

const simple = (
  name: string,
  rows: readonly Row[],
  sql: (source: { readonly param: string; readonly onlyWon: true }) => string,
): readonly Fragment[] =>
  rows.length === 0 ? [] : [fragment(name, [rows], (param = '') => sql({ param, onlyWon: true }))];

const tableFragments = (table: Table, sorted: Sorted): readonly Fragment[] => [
  ...simple(`${table.name}_deleted`, sorted.deletes, (source) => deleteSql(table, source)),
  ...[...sorted.patches].flatMap(([columns, rows]) =>
    simple(`${table.name}_patched_${columns.replaceAll(',', '_')}`, rows, (source) =>
      patchSql(table, columns.split(','), source),
    ),
  ),
  ...simple(`${table.name}_put`, sorted.upserts, (source) => upsertSql(table, source)),
  ...simple(`${table.name}_inserted`, sorted.inserts, (source) => insertSql(table, source)),
];

const delayedJobTable: Table = { ...readyJobTable, name: 'delayed_job' };

// `statement_timestamp()` is one moment for both tables: a row goes into exactly one of them.
const enqueuedFragments = (rows: readonly Row[]): readonly Fragment[] => {
  const isDelayed = rows.some(({ due }) => due !== null);
  const ready = simple(
    'ready_job_inserted',
    rows,
    (source) => `${insertSql(readyJobTable, source)} AND (v.due IS NULL OR v.due <= statement_timestamp())`,
  );
  const delayed = simple(
    'delayed_job_inserted',
    isDelayed ? rows : [],
    (source) => `${insertSql(delayedJobTable, source)} AND v.due > statement_timestamp()`,
  );
  return [...ready, ...delayed];
};

const wonRows = (columns: readonly string[], param: string): string => {
  const rows = rowsFrom(readyJobTable, columns, { param, onlyWon: true });
  return `(SELECT json_agg(v) FROM ${rows})`;
};

// A function that is only selected from would never be called: nothing reads this CTE. An INSERT always runs, here of no rows.
const settledFragment = ({ deletes, upserts, patches }: Sorted): readonly Fragment[] => {
  const patched = [...patches.values()].flat();
  if (deletes.length + upserts.length + patched.length === 0) return [];
  const columns = Object.keys(readyJobTable.columns);
  const sql = (gone = '', put = '', changed = ''): string =>
    `INSERT INTO ${tableName(readyJobTable)} (${columns.join(', ')})
SELECT ${columns.map((column) => `s.${column}`).join(', ')} FROM __schema__.settle_ready_job(
  ARRAY(SELECT v.job FROM ${rowsFrom(readyJobTable, ['job'], { param: gone, onlyWon: true })}),
  ${wonRows(columns, put)},
  ${wonRows(['job', 'class', 'priority', 'due', 'revision', 'since'], changed)}
) s`;
  return [fragment('ready_job_settled', [deletes, upserts, patched], sql)];
};

/**
 * A claim holds the rows it has picked and then appends. What changes such rows takes them before it appends, too: the other order
 * would be a deadlock with every claim that meets it, and a second's wait for all who take part.
 */
const heldFragment = ({ patches }: Sorted): readonly Fragment[] => {
  const jobs = [...patches.values()].flat().map(({ job = null }) => ({ job }));
  if (jobs.length === 0) return [];
  const sql = (param = ''): string => `
SELECT r.job FROM ${tableName(readyJobTable)} r
WHERE r.job = ANY (ARRAY(SELECT v.job FROM ${rowsFrom(readyJobTable, ['job'], { param })}))
ORDER BY r.job
FOR UPDATE`;
  return [{ ...fragment('ready_job_held', [jobs], sql), goesFirst: true }];
};

const fragmentsOf = (table: Table, changes: NetChanges): readonly Fragment[] => {
  const rows = changes.get(table.name);
  if (rows === undefined) return [];
  const sorted = sortChanges(table, rows, withOwner);
  return table.name === readyJobTable.name
    ? [...heldFragment(sorted), ...settledFragment(sorted), ...enqueuedFragments(sorted.inserts)]
    : tableFragments(table, sorted);
};

export const inlineWrites = (projections: readonly Projection[]): InlineWrites => {
  const handlers = handlersByType(projections);
  const tables = projections.flatMap((projection) => projection.tables);
  return {
    fragments: (appends) => {
      const changes = changesOf(appends, handlers);
      return changes.size === 0 ? [] : tables.flatMap((table) => fragmentsOf(table, changes));
    },
  };
};
