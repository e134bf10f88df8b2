/** Reads the rows of a dumped `job` table one by one, whatever the format, which is told by the content. */
import * as E from 'fp-ts/lib/Either.js';
import { type ByteWindow, lookAhead, openWindow } from './byte-window.js';
import { readCsvDump } from './csv-dump.js';
import { type DumpError, dumpNotRecognised, dumpTruncated, dumpUnreadable } from './dump-error.js';
import type { JobRow } from './job-row.js';
import { readSqlDump } from './sql-dump.js';

type DumpFormat = 'csv' | 'mysql' | 'standard';

const PIECE = 256 * 1024;
const HEAD = 64 * 1024;
const CSV_HEADER =
  /^(?:\u00ef\u00bb\u00bf)?(?=[^\n]*\bjob_cmd\b)"?[a-z_0-9]+"?(?:,"?[a-z_0-9]+"?)+\r?(?:\n|$)/;
const STANDARD = /^(?:-- PostgreSQL database|PRAGMA )/m;
const MYSQL = /^-- (?:MySQL|MariaDB) dump |^(?:INSERT|REPLACE|CREATE TABLE|DROP TABLE)\b[^\n(]*`/m;
const SQL = /^(?:--|\/\*|COPY |INSERT |REPLACE |CREATE |SET |PRAGMA |BEGIN|START |USE )/im;
const BINARY: readonly (readonly [magic: string, advice: string])[] = [
  ['PGDMP', 'this is an archive of pg_dump: pg_restore -f job.sql makes SQL of it'],
  ['SQLite format 3', "this is a SQLite database: its '.dump job' makes SQL of it"],
  ['PK\u0003\u0004', 'this is a zip archive: unpack it first'],
  ['BZh', 'this is compressed with bzip2: unpack it first'],
  ['\u00fd7zXZ', 'this is compressed with xz: unpack it first'],
  ['\u0028\u00b5\u002f\u00fd', 'this is compressed with zstd: unpack it first'],
];
const ADVICE = 'not a job table as mysqldump, pg_dump, SQLite or \\copy … csv header writes it';

const formatOf = (head: string): DumpFormat | undefined => {
  if (CSV_HEADER.test(head)) return 'csv';
  if (STANDARD.test(head)) return 'standard';
  if (MYSQL.test(head)) return 'mysql';
  return SQL.test(head) ? 'standard' : undefined;
};

const notRecognised = (window: ByteWindow, head: string): DumpError => {
  if (head === '') return dumpNotRecognised(window.path, 'the file is empty');
  const binary = BINARY.find(([magic]) => head.startsWith(magic));
  return dumpNotRecognised(window.path, binary?.[1] ?? ADVICE);
};

const codeOf = (fault: unknown): string =>
  fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown error';

const READING_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the file may not be read',
  EISDIR: 'this is a folder, not a file',
  Z_DATA_ERROR: 'the gzip data are damaged',
};

const faultOf = (window: ByteWindow): DumpError => {
  const code = codeOf(window.fault);
  if (code === 'Z_BUF_ERROR') return dumpTruncated(window, 'the gzip file ends too early');
  const { path, line } = window;
  const place = { path, line: code.startsWith('Z_') ? line : 0 };
  return dumpUnreadable(place, READING_FAULTS[code] ?? `the file cannot be read (${code})`);
};

async function* read(window: ByteWindow): AsyncGenerator<E.Either<DumpError, JobRow>> {
  await lookAhead(window, HEAD);
  const head = window.bytes.toString('latin1', 0, HEAD);
  const format = formatOf(head);
  if (format === undefined) yield E.left(notRecognised(window, head));
  else if (format === 'csv') yield* readCsvDump(window);
  else yield* readSqlDump(window, format);
}

/** Every row or what is wrong with it, in the order of the file; in bounded memory; gzip is read as it is.
 * `pieceLength`: how many bytes are asked of the file at a time. */
export async function* readJobDump(
  path: string,
  pieceLength = PIECE,
): AsyncGenerator<E.Either<DumpError, JobRow>> {
  const window = openWindow(path, pieceLength);
  try {
    for await (const item of read(window)) {
      const isEnd = E.isLeft(item) && item.left._tag !== 'DumpInvalid';
      // Where reading failed, the end of the file is only apparent.
      if (!isEnd || window.fault === undefined) yield item;
    }
    if (window.fault !== undefined) yield E.left(faultOf(window));
  } finally {
    await window.chunks.return?.();
  }
}
