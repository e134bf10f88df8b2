/** The rows of one INSERT or one COPY block. The generators return whether the file ended inside. */
import * as E from 'fp-ts/lib/Either.js';
import { type ByteWindow, lineEnd, more, moveTo, unread, whole } from './byte-window.js';
import { copyValues } from './copy-text.js';
import { type DumpError, dumpInvalid, dumpTruncated } from './dump-error.js';
import { type JobRow, rowOfValues } from './job-row.js';
import type { SqlDialect } from './sql-dialect.js';
import { skipStatement } from './sql-skip.js';
import { tupleEnd, tupleValues } from './sql-tuple.js';

type Rows = AsyncGenerator<E.Either<DumpError, JobRow>, boolean>;
type Columns = readonly string[] | undefined;

const CUT = 'the file ends inside the row that begins here';
const TOO_LONG = 'the row is too long';
const OPEN = 0x28;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;

/** The next byte that is not white space; undefined at the end of the file. */
export const nextByte = async (window: ByteWindow): Promise<number | undefined> => {
  for (;;) {
    let at = window.at;
    while (at < window.bytes.length && (window.bytes[at] ?? 0) <= 0x20) at += 1;
    moveTo(window, at);
    if (unread(window) > 0) return window.bytes[at];
    if (!(await more(window))) return undefined;
  }
};

const placeOf = ({ path, line }: ByteWindow) => ({ path, line });

export async function* insertRows(window: ByteWindow, dialect: SqlDialect, columns: Columns): Rows {
  const findEnd = (bytes: Buffer, at: number) => tupleEnd(bytes, at, dialect);
  for (let next = await nextByte(window); next === OPEN; next = await nextByte(window)) {
    const place = placeOf(window);
    const found = await whole(window, findEnd);
    if (found._tag === 'Cut') {
      yield E.left(dumpTruncated(place, CUT));
      return true;
    }
    if (found._tag === 'TooLong') {
      yield E.left(dumpInvalid(place, `${TOO_LONG}, and what follows in its INSERT is left out`));
      break;
    }
    const values = tupleValues(window.bytes.subarray(window.at, found.end), dialect);
    moveTo(window, found.end);
    const row = E.isLeft(values) ? values : rowOfValues(place.line, columns, values.right);
    yield E.mapLeft((message: string) => dumpInvalid(place, message))(row);
    if ((await nextByte(window)) !== COMMA) break;
    moveTo(window, window.at + 1);
  }
  return yield* endOfInsert(window, dialect);
}

async function* endOfInsert(window: ByteWindow, dialect: SqlDialect): Rows {
  const next = await nextByte(window);
  if (next === undefined) {
    yield E.left(dumpTruncated(placeOf(window), 'the file ends inside an INSERT'));
    return true;
  }
  if (next === SEMICOLON) {
    moveTo(window, window.at + 1);
    return false;
  }
  // Behind the rows, or in place of them: ON DUPLICATE KEY UPDATE, a SELECT.
  return !(await skipStatement(window, dialect));
}

const MISSING_END = 'the file ends inside a COPY block: its closing \\. is missing';

const isClosing = (line: Buffer): boolean => line.length <= 3 && line.toString('latin1').trimEnd() === '\\.';

/** `take` undefined: the block is gone over. */
export async function* copyRows(window: ByteWindow, take: { readonly columns: Columns } | undefined): Rows {
  for (;;) {
    const place = placeOf(window);
    const found = await whole(window, lineEnd);
    if (found._tag === 'Cut') {
      if (isClosing(window.bytes.subarray(window.at))) {
        moveTo(window, window.bytes.length);
        return false;
      }
      yield E.left(dumpTruncated(place, unread(window) > 0 && take !== undefined ? CUT : MISSING_END));
      return true;
    }
    if (found._tag === 'TooLong') {
      if (take !== undefined) yield E.left(dumpInvalid(place, TOO_LONG));
      await skipLine(window);
      continue;
    }
    const line = window.bytes.subarray(window.at, found.end - 1);
    moveTo(window, found.end);
    if (isClosing(line)) return false;
    if (take === undefined) continue;
    const row = rowOfValues(place.line, take.columns, copyValues(line));
    yield E.mapLeft((message: string) => dumpInvalid(place, message))(row);
  }
}

const skipLine = async (window: ByteWindow): Promise<void> => {
  for (let end = lineEnd(window.bytes, window.at); ; end = lineEnd(window.bytes, window.at)) {
    if (end !== undefined) return moveTo(window, end);
    moveTo(window, window.bytes.length);
    if (!(await more(window))) return;
  }
};
