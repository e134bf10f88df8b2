/** One `(value, …)` of an INSERT: where it ends, and its values. */
import * as E from 'fp-ts/lib/Either.js';
import {
  BACKTICK,
  DOUBLE_QUOTE,
  SINGLE_QUOTE,
  type SqlDialect,
  closingQuote,
  escapesIn,
} from './sql-dialect.js';
import { characterOf, quotedText, unistr } from './sql-text.js';

type Value = Buffer | null;
interface Cursor {
  readonly bytes: Buffer;
  readonly dialect: SqlDialect;
  at: number;
  calls: number;
}

const OPEN = 0x28;
const CLOSE = 0x29;
const COMMA = 0x2c;
const HEAD = 48;
const MOST_CALLS = 16;

/** Behind the closing parenthesis of what opens at `at`. */
export const tupleEnd = (bytes: Buffer, from: number, dialect: SqlDialect): number | undefined => {
  let depth = 0;
  for (let at = from; at < bytes.length;) {
    const byte = bytes[at];
    if (byte === SINGLE_QUOTE || byte === DOUBLE_QUOTE || byte === BACKTICK) {
      const end = closingQuote(bytes, at, escapesIn(bytes, at, dialect));
      if (end === undefined) return undefined;
      at = end;
      continue;
    }
    at += 1;
    if (byte === OPEN) depth += 1;
    else if (byte === CLOSE && (depth -= 1) === 0) return at;
  }
  return undefined;
};

const head = ({ bytes, at }: Cursor): string => bytes.toString('latin1', at, at + HEAD);

const skipSpace = (cursor: Cursor): void => {
  while ((cursor.bytes[cursor.at] ?? 0x21) <= 0x20) cursor.at += 1;
};

const take = (cursor: Cursor, byte: number): boolean => {
  skipSpace(cursor);
  if (cursor.bytes[cursor.at] !== byte) return false;
  cursor.at += 1;
  return true;
};

const readQuoted = (cursor: Cursor): Buffer | undefined => {
  const start = cursor.at;
  const escapes = escapesIn(cursor.bytes, start, cursor.dialect);
  const end = closingQuote(cursor.bytes, start, escapes);
  if (end === undefined) return undefined;
  cursor.at = end;
  const notation = cursor.dialect === 'mysql' ? 'mysql' : 'postgres';
  return quotedText(cursor.bytes.subarray(start, end), escapes ? notation : 'none');
};

const isHexDigit = (byte = 0): boolean =>
  (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

const readHex = (cursor: Cursor, prefix: string): Buffer | undefined => {
  const start = cursor.at;
  while (isHexDigit(cursor.bytes[cursor.at])) cursor.at += 1;
  const digits = cursor.bytes.toString('latin1', start, cursor.at);
  if (digits.length % 2 !== 0 || (prefix.endsWith("'") && !take(cursor, SINGLE_QUOTE))) return undefined;
  return Buffer.from(digits, 'hex');
};

const readArguments = (cursor: Cursor): Buffer[] | undefined => {
  const values: Buffer[] = [];
  do {
    const value = readValue(cursor);
    if (value === undefined || value === null) return undefined;
    values.push(value);
  } while (take(cursor, COMMA));
  return take(cursor, CLOSE) ? values : undefined;
};

/** The three functions that SQLite's `.dump` writes: for a newline, replace('…','\\n',char(10)). */
const readCall = (cursor: Cursor, call: string): Buffer | undefined => {
  if ((cursor.calls += 1) > MOST_CALLS) return undefined;
  const [text, from, to] = readArguments(cursor) ?? [];
  if (text === undefined) return undefined;
  if (/^char/i.test(call)) return characterOf(Number(text.toString('latin1', 0, 8)));
  if (/^unistr/i.test(call)) return unistr(text);
  if (from === undefined || to === undefined || from.length === 0) return undefined;
  const replacement = to.toString('latin1');
  const plain = text.toString('latin1').replaceAll(from.toString('latin1'), () => replacement);
  return Buffer.from(plain, 'latin1');
};

/** Each reader begins behind what its expression has matched. */
const LITERALS: readonly (readonly [RegExp, (cursor: Cursor, match: string) => Value | undefined])[] = [
  [/^NULL\b/i, () => null],
  [/^(?:x'|0x)/i, readHex],
  [/^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?/i, (_cursor, match) => Buffer.from(match)],
  [/^E(?=')/i, readQuoted],
  [/^(?:replace|unistr|char)\(/i, readCall],
];

const readValue = (cursor: Cursor): Value | undefined => {
  skipSpace(cursor);
  // MySQL's introducer of a character set, such as _binary.
  cursor.at += /^_[a-z0-9]+\s*(?=['"0x])/i.exec(head(cursor))?.[0].length ?? 0;
  const first = cursor.bytes[cursor.at];
  if (first === SINGLE_QUOTE || first === DOUBLE_QUOTE) return readQuoted(cursor);
  const text = head(cursor);
  for (const [literal, read] of LITERALS) {
    const match = literal.exec(text)?.[0];
    if (match === undefined) continue;
    cursor.at += match.length;
    return read(cursor, match);
  }
  return undefined;
};

/** `tuple` with its parentheses. */
export const tupleValues = (tuple: Buffer, dialect: SqlDialect): E.Either<string, readonly Value[]> => {
  const cursor: Cursor = { bytes: tuple, dialect, at: 1, calls: 0 };
  const values: Value[] = [];
  do {
    const value = readValue(cursor);
    if (value === undefined) return E.left(`value ${values.length + 1} is not a literal`);
    values.push(value);
  } while (take(cursor, COMMA));
  const closed = take(cursor, CLOSE) && cursor.at === tuple.length;
  return closed ? E.right(values) : E.left(`something follows value ${values.length}`);
};
