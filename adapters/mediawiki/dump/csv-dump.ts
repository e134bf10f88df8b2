/** Reads PostgreSQL's `\copy job TO … CSV HEADER`, where NULL is nothing and an empty text is "". */
import * as E from 'fp-ts/lib/Either.js';
import {
  type ByteWindow,
  LONGEST_ROW,
  lineEnd,
  lookAhead,
  more,
  moveTo,
  unread,
  whole,
} from './byte-window.js';
import { type CsvField, type CsvRecord, csvRecord } from './csv-record.js';
import { type DumpError, dumpInvalid, dumpTruncated } from './dump-error.js';
import { type JobRow, rowOfValues } from './job-row.js';

const SHA1_LENGTH = 31;
const ROW_START = 24;
const CUT = 'the file ends inside the row that begins here';

const nextRecord = async (window: ByteWindow): Promise<CsvRecord | undefined> => {
  if (unread(window) === 0 && !(await more(window))) return undefined;
  for (;;) {
    const record = csvRecord(window.bytes, window.at, false);
    if (record._tag !== 'Unfinished') return record;
    if (unread(window) > LONGEST_ROW)
      return { _tag: 'Broken', message: `the row has more than ${LONGEST_ROW} bytes` };
    if (!(await more(window))) return csvRecord(window.bytes, window.at, true);
  }
};

const valueOf = ({ bytes, quoted }: CsvField): Buffer | null =>
  !quoted && (bytes.length === 0 || bytes.equals(Buffer.from('\\N'))) ? null : bytes;

/** A last row without newline may be cut inside its last value and still look whole. */
const looksCut = (columns: readonly string[], fields: readonly CsvField[]): boolean => {
  const last = fields.at(-1);
  if (fields.length < columns.length || last === undefined) return true;
  return columns.at(-1) === 'job_sha1' && !last.quoted && last.bytes.length !== SHA1_LENGTH;
};

/** Behind a broken row: to the next line that begins like a row. The broken row's own lines are part of its fault. */
const toNextRow = async (window: ByteWindow, columns: readonly string[]): Promise<void> => {
  const beginsRow = columns[0] === 'job_id' ? /^"?[0-9]+"?,/ : /^/;
  for (;;) {
    const end = await whole(window, lineEnd);
    if (end._tag !== 'End') return moveTo(window, window.bytes.length);
    moveTo(window, end.end);
    await lookAhead(window, ROW_START);
    if (beginsRow.test(window.bytes.toString('latin1', window.at, window.at + ROW_START))) return;
  }
};

export const csvColumns = (header: readonly CsvField[]): readonly string[] =>
  header.map(({ bytes }) =>
    bytes
      .toString('latin1')
      .replace(/^\u00ef\u00bb\u00bf/, '')
      .replaceAll('"', '')
      .trim(),
  );

export async function* readCsvDump(window: ByteWindow): AsyncGenerator<E.Either<DumpError, JobRow>> {
  const header = await nextRecord(window);
  if (header?._tag !== 'Record') return;
  const columns = csvColumns(header.fields);
  moveTo(window, header.end);
  for (let record = await nextRecord(window); record !== undefined; record = await nextRecord(window)) {
    const place = { path: window.path, line: window.line };
    if (record._tag === 'Unfinished') return yield E.left(dumpTruncated(place, CUT));
    if (record._tag === 'Broken') {
      yield E.left(dumpInvalid(place, record.message));
      await toNextRow(window, columns);
      continue;
    }
    moveTo(window, record.end);
    if (isBlank(record.fields)) continue;
    const row = rowOfValues(place.line, columns, record.fields.map(valueOf));
    const cut =
      !record.closed && (window.fault !== undefined || E.isLeft(row) || looksCut(columns, record.fields));
    if (cut) return yield E.left(dumpTruncated(place, CUT));
    yield E.mapLeft((message: string) => dumpInvalid(place, message))(row);
  }
}

const isBlank = (fields: readonly CsvField[]): boolean =>
  fields.length === 1 && fields[0]?.quoted === false && fields[0].bytes.length === 0;
