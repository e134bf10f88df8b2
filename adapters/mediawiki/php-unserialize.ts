/**
 * Reads what PHP's serialize() writes, strictly, into JSON. The npm package php-serialize was measured first and does not serve:
 * it decodes bytes that are not UTF-8 into replacement characters, sets the prototype from a key `__proto__`, throws a SyntaxError
 * on `d:INF;` and `d:1E+25;`, and takes `b:7;` and text behind the value.
 *
 * What JSON cannot carry: text that is not UTF-8 becomes a data URL, as in MediaWiki's EventBus; integers beyond 2^53 and INF and
 * NAN become text, since a number would change on its way. Arrays with keys 0 … n-1 in order become arrays, all others objects.
 */
import { isUtf8 } from 'node:buffer';
import * as E from 'fp-ts/lib/Either.js';
import type { Json, JsonObject } from '../../domain/json.js';

export interface PhpMalformed {
  readonly _tag: 'PhpMalformed';
  readonly offset: number;
  readonly message: string;
}

interface Cursor {
  readonly bytes: Buffer;
  at: number;
  fault: PhpMalformed | undefined;
}

/** PHP reads 4096 levels; that many overflow the stack here, and no job has more than a handful. */
const MAX_DEPTH = 512;
const INTEGER = /^(?:0|-?[1-9][0-9]{0,18})$/;
const FLOAT = /^-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const NOT_FINITE: ReadonlySet<string> = new Set(['INF', '-INF', 'NAN']);
const LONGEST_NUMBER = 400;

const malformed = (offset: number, message: string): PhpMalformed => ({
  _tag: 'PhpMalformed',
  offset,
  message,
});

const fail = (cursor: Cursor, message: string, offset = cursor.at): undefined => {
  cursor.fault ??= malformed(offset, message);
  return undefined;
};

const skip = (cursor: Cursor, expected: string): boolean => {
  const end = cursor.at + expected.length;
  if (cursor.bytes.toString('latin1', cursor.at, end) !== expected) {
    fail(cursor, `expected ${expected}`);
    return false;
  }
  cursor.at = end;
  return true;
};

const readUntil = (cursor: Cursor, stop: string): string | undefined => {
  const end = cursor.bytes.indexOf(stop, cursor.at);
  if (end < 0 || end - cursor.at > LONGEST_NUMBER) return fail(cursor, `expected a number and ${stop}`);
  const text = cursor.bytes.toString('latin1', cursor.at, end);
  cursor.at = end + stop.length;
  return text;
};

const readInteger = (cursor: Cursor): number | string | undefined => {
  const start = cursor.at;
  const text = readUntil(cursor, ';');
  if (text === undefined) return undefined;
  if (!INTEGER.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    return fail(cursor, 'not an integer of 64 bits', start);
  }
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
};

const readFloat = (cursor: Cursor): number | string | undefined => {
  const start = cursor.at;
  const text = readUntil(cursor, ';');
  if (text === undefined || NOT_FINITE.has(text)) return text;
  return FLOAT.test(text) ? Number(text) : fail(cursor, 'not a number', start);
};

const readBoolean = (cursor: Cursor): boolean | undefined => {
  const value = cursor.bytes.toString('latin1', cursor.at, cursor.at + 2);
  if (value !== '0;' && value !== '1;') return fail(cursor, 'expected 0; or 1;');
  cursor.at += 2;
  return value === '1;';
};

const readLength = (cursor: Cursor): number | undefined => {
  const start = cursor.at;
  const text = readUntil(cursor, ':');
  if (text === undefined) return undefined;
  return /^(?:0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : fail(cursor, 'not a length', start);
};

const readString = (cursor: Cursor): string | undefined => {
  const start = cursor.at;
  const length = readLength(cursor);
  if (length === undefined || !skip(cursor, '"')) return undefined;
  const end = cursor.at + length;
  if (end > cursor.bytes.length) return fail(cursor, `a text of ${length} bytes goes beyond the end`, start);
  const bytes = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  if (!skip(cursor, '";')) return undefined;
  return isUtf8(bytes)
    ? bytes.toString()
    : `data:application/octet-stream;base64,${bytes.toString('base64')}`;
};

const readKey = (cursor: Cursor): number | string | undefined => {
  const tag = cursor.bytes.toString('latin1', cursor.at, cursor.at + 2);
  if (tag !== 'i:' && tag !== 's:') return fail(cursor, 'expected an integer or a text as key');
  cursor.at += 2;
  return tag === 'i:' ? readInteger(cursor) : readString(cursor);
};

const readArray = (cursor: Cursor, depth: number): Json | undefined => {
  if (depth > MAX_DEPTH) return fail(cursor, `nested deeper than ${MAX_DEPTH}`);
  const count = readLength(cursor);
  if (count === undefined || !skip(cursor, '{')) return undefined;
  const entries: [string, Json][] = [];
  let isList = true;
  for (let index = 0; index < count; index += 1) {
    const key = readKey(cursor);
    if (key === undefined) return undefined;
    const value = readValue(cursor, depth);
    if (value === undefined) return undefined;
    isList &&= key === index;
    entries.push([String(key), value]);
  }
  if (!skip(cursor, '}')) return undefined;
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
};

const readValue = (cursor: Cursor, depth: number): Json | undefined => {
  const tag = cursor.bytes.toString('latin1', cursor.at, cursor.at + 2);
  cursor.at += 2;
  switch (tag) {
    case 'N;':
      return null;
    case 'b:':
      return readBoolean(cursor);
    case 'i:':
      return readInteger(cursor);
    case 'd:':
      return readFloat(cursor);
    case 's:':
      return readString(cursor);
    case 'a:':
      return readArray(cursor, depth + 1);
    case 'O:':
    case 'C:':
    case 'E:':
      return fail(cursor, 'PHP objects are not read', cursor.at - 2);
    case 'r:':
    case 'R:':
      return fail(cursor, 'PHP references are not read', cursor.at - 2);
    default:
      return fail(cursor, 'not a serialised PHP value', cursor.at - 2);
  }
};

export const phpUnserialize = (bytes: Buffer): E.Either<PhpMalformed, Json> => {
  const cursor: Cursor = { bytes, at: 0, fault: undefined };
  const value = readValue(cursor, 0);
  if (value === undefined) return E.left(cursor.fault ?? malformed(cursor.at, 'not a serialised PHP value'));
  if (cursor.at < bytes.length) return E.left(malformed(cursor.at, 'something follows the value'));
  return E.right(value);
};

/** The content of `job_params`: nothing at all stands for no params, and anything but an array is refused, as in MediaWiki. */
export const readJobParams = (bytes: Buffer): E.Either<PhpMalformed, JsonObject> => {
  if (bytes.length === 0) return E.right({});
  const params = phpUnserialize(bytes);
  if (E.isLeft(params)) return params;
  if (typeof params.right !== 'object' || params.right === null) {
    return E.left(malformed(0, 'job params are not an array'));
  }
  return E.right(Object.fromEntries(Object.entries<Json>(params.right)));
};
