/**
 * Writes JSON values as PHP's serialize() would. The text is meant to be stored as UTF-8: lengths are counted in its bytes.
 * JavaScript moves keys that look like array indexes to the front of an object; a PHP array does not.
 */
import { utf8Length } from '../bytes.js';
import type { Json } from '../json.js';

const INT64_MAX = 2n ** 63n - 1n;
const FIXED_POINT_DIGITS = 17;

/** PHP turns a key that is written like an integer of 64 bits into one. */
const isIntegerKey = (key: string): boolean => {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(key)) return false;
  const value = BigInt(key);
  return value >= -INT64_MAX - 1n && value <= INT64_MAX;
};

const phpFloat = (value: number): string => {
  if (Number.isNaN(value)) return 'NAN';
  if (!Number.isFinite(value)) return value > 0 ? 'INF' : '-INF';
  if (Object.is(value, -0)) return '-0';
  const [mantissa = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < FIXED_POINT_DIGITS) return String(value);
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${power}`;
};

const phpNumber = (value: number): string =>
  Number.isSafeInteger(value) && !Object.is(value, -0) ? `i:${value};` : `d:${phpFloat(value)};`;

const phpString = (text: string): string => `s:${utf8Length(text)}:"${text}";`;

/** A PHP array of values that are serialised already, in the order given. */
export const phpArray = (entries: readonly (readonly [key: string, serialised: string])[]): string => {
  const items = entries.map(
    ([key, serialised]) => (isIntegerKey(key) ? `i:${key};` : phpString(key)) + serialised,
  );
  return `a:${entries.length}:{${items.join('')}}`;
};

export const phpSerialize = (value: Json): string => {
  if (value === null) return 'N;';
  if (typeof value === 'boolean') return value ? 'b:1;' : 'b:0;';
  if (typeof value === 'number') return phpNumber(value);
  if (typeof value === 'string') return phpString(value);
  // Object.entries gives a list its indexes as keys, which is what PHP has.
  return phpArray(Object.entries<Json>(value).map(([key, item]) => [key, phpSerialize(item)]));
};
