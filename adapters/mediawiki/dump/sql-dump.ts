/** Reads the job table out of what mysqldump, pg_dump and SQLite's `.dump` write, whatever else the dump holds. */
import * as E from 'fp-ts/lib/Either.js';
import { type ByteWindow, lineEnd, lookAhead, more, moveTo, unread, whole } from './byte-window.js';
import { type DumpError, dumpInvalid, dumpNotRecognised, dumpTruncated } from './dump-error.js';
import { type JobRow, isJobTable } from './job-row.js';
import type { SqlDialect } from './sql-dialect.js';
import { type SqlHead, createdColumns, sqlHead } from './sql-head.js';
import { copyRows, insertRows, nextByte } from './sql-rows.js';
import { skipStatement } from './sql-skip.js';
import { tupleEnd } from './sql-tuple.js';

interface SqlDump {
  readonly window: ByteWindow;
  readonly dialect: SqlDialect;
  /** Of each job table that a CREATE TABLE described. */
  readonly layouts: Map<string, readonly string[]>;
  /** The first job table met; only one is read. */
  job: string | undefined;
  readonly leftOut: Set<string>;
  database: string;
  /** How a dump that began like this one ends. */
  closing: string | undefined;
}
/** Yields what is read; returns whether the file ended inside. */
type Part = AsyncGenerator<E.Either<DumpError, JobRow>, boolean>;
type RowsHead = SqlHead & { readonly _tag: 'Insert' | 'Copy' };

const HEAD = 8 * 1024;
const SEMICOLON = 0x3b;
const TRANSACTION_END = 'COMMIT';
const CLOSINGS: readonly (readonly [begins: RegExp, ends: string])[] = [
  [/^-- (?:MySQL|MariaDB) dump /, '-- Dump completed'],
  [/^-- PostgreSQL database dump\s*$/, '-- PostgreSQL database dump complete'],
];

const startOf = ({ bytes, at }: ByteWindow, length: number): string =>
  bytes.toString('latin1', at, at + length);

const noteComment = (dump: SqlDump, comment: string): void => {
  if (dump.closing !== undefined && comment.startsWith(dump.closing)) dump.closing = undefined;
  for (const [begins, ends] of CLOSINGS) if (begins.test(comment)) dump.closing = ends;
};

const passTo = async (
  window: ByteWindow,
  find: (bytes: Buffer, at: number) => number | undefined,
): Promise<void> => {
  const found = await whole(window, find);
  moveTo(window, found._tag === 'End' ? found.end : window.bytes.length);
};

const commentEnd = (bytes: Buffer, at: number): number | undefined => {
  const end = bytes.indexOf('*/', at + 2);
  return end < 0 ? undefined : end + 2;
};

/** Goes over white space, comments and psql's own commands; false at the end of the file. */
const toStatement = async (dump: SqlDump): Promise<boolean> => {
  const { window } = dump;
  for (let next = await nextByte(window); next !== undefined; next = await nextByte(window)) {
    await lookAhead(window, HEAD);
    const start = startOf(window, 200);
    if (next === SEMICOLON) moveTo(window, window.at + 1);
    else if (start.startsWith('/*')) await passTo(window, commentEnd);
    else if (/^(?:--|#|\\)/.test(start)) {
      noteComment(dump, start.split('\n', 1)[0] ?? '');
      await passTo(window, lineEnd);
    } else return true;
  }
  return false;
};

const nameOf = (dump: SqlDump, table: string): string =>
  dump.database === '' ? table : `${dump.database}.${table}`;

/** Without any columns to go by, the table's own name has to tell. */
const holdsJobs = (table: string, columns: readonly string[] | undefined): boolean =>
  columns === undefined ? /(?:^|[._])job$/.test(table) : isJobTable(columns);

async function* rows(dump: SqlDump, head: RowsHead): Part {
  const { window, dialect } = dump;
  const place = { path: window.path, line: window.line };
  const table = nameOf(dump, head.table);
  const columns = head.columns ?? dump.layouts.get(table);
  const isJob = holdsJobs(head.table, columns);
  if (isJob) dump.job ??= table;
  const taken = isJob && table === dump.job;
  if (isJob && !taken && !dump.leftOut.has(table)) {
    dump.leftOut.add(table);
    yield E.left(dumpInvalid(place, `the rows of ${table} are left out: those of ${dump.job} are read`));
  }
  if (head._tag === 'Insert' && !taken) return yield* other(dump);
  moveTo(window, window.at + head.length);
  if (head._tag === 'Insert') return yield* insertRows(window, dialect, columns);
  return yield* copyRows(window, taken ? { columns } : undefined);
}

async function* createTable(dump: SqlDump, head: SqlHead & { readonly _tag: 'CreateTable' }): Part {
  const { window, dialect } = dump;
  const start = head.length;
  const found = await whole(window, (bytes, at) => tupleEnd(bytes, at + start, dialect));
  if (found._tag === 'End') {
    const columns = createdColumns(window.bytes.toString('latin1', window.at + start, found.end));
    const table = nameOf(dump, head.table);
    if (isJobTable(columns)) {
      dump.layouts.set(table, columns);
      dump.job ??= table;
    }
  }
  return yield* other(dump);
}

async function* other(dump: SqlDump): Part {
  const place = { path: dump.window.path, line: dump.window.line };
  if (await skipStatement(dump.window, dump.dialect)) return false;
  yield E.left(dumpTruncated(place, 'the file ends inside the statement that begins here'));
  return true;
}

/** With another delimiter, mysqldump writes the bodies of triggers and routines: INSERTs in them are no rows. */
const skipRoutines = async (window: ByteWindow, delimiter: string): Promise<void> => {
  await passTo(window, lineEnd);
  if (delimiter === ';') return;
  while (unread(window) > 0 || (await more(window))) {
    const isLast = /^DELIMITER\s+;\s/i.test(startOf(window, 16));
    await passTo(window, lineEnd);
    if (isLast) return;
  }
};

async function* statement(dump: SqlDump): Part {
  const head = sqlHead(startOf(dump.window, HEAD));
  switch (head._tag) {
    case 'Insert':
    case 'Copy':
      return yield* rows(dump, head);
    case 'CreateTable':
      return yield* createTable(dump, head);
    case 'Delimiter':
      await skipRoutines(dump.window, head.delimiter);
      return false;
    case 'Use':
      dump.database = head.database;
      return yield* other(dump);
    case 'Begin':
      dump.closing ??= TRANSACTION_END;
      return yield* other(dump);
    case 'End':
      if (dump.closing === TRANSACTION_END) dump.closing = undefined;
      return yield* other(dump);
    case 'Other':
      return yield* other(dump);
  }
}

export async function* readSqlDump(
  window: ByteWindow,
  dialect: SqlDialect,
): AsyncGenerator<E.Either<DumpError, JobRow>> {
  const dump: SqlDump = {
    window,
    dialect,
    layouts: new Map(),
    job: undefined,
    leftOut: new Set(),
    database: '',
    closing: undefined,
  };
  while (await toStatement(dump)) if (yield* statement(dump)) return;
  const place = { path: window.path, line: window.line };
  if (dump.closing !== undefined) {
    yield E.left(
      dumpTruncated(place, `the file ends before the dump does: its closing "${dump.closing}" is missing`),
    );
  } else if (dump.job === undefined) {
    yield E.left(dumpNotRecognised(window.path, 'there is no job table in this dump'));
  }
}
