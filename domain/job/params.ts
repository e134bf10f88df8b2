/**
 * Params of our own enqueues are a JSON object that PostgreSQL's `jsonb` can hold; anything else is refused with its path before
 * anything is written (field case 14). Nothing is silently turned into something else.
 */
import * as E from 'fp-ts/lib/Either.js';
import { hasLoneSurrogate, utf8Length } from '../bytes.js';
import type { Json, JsonObject } from '../json.js';

export const MAX_PARAMS_BYTES = 64 * 1024;
const MAX_DEPTH = 100;

export interface ParamsRefused {
  readonly _tag: 'ParamsRefused';
  /** Such as `params.a[2].b`. */
  readonly path: string;
  readonly message: string;
}

const refused = (path: string, message: string): ParamsRefused => ({ _tag: 'ParamsRefused', path, message });

/** The params as plain JSON, or the first flaw. −0 is stored as 0, which it equals. */
export const checkParams = (
  value: unknown,
  limit = MAX_PARAMS_BYTES,
): E.Either<ParamsRefused, JsonObject> => {
  // Proxies and getters run code of somebody else's, which may throw.
  try {
    return checkedParams(value, limit);
  } catch {
    return E.left(refused('params', 'cannot be read: a getter or a proxy in it throws'));
  }
};

const checkedParams = (value: unknown, limit: number): E.Either<ParamsRefused, JsonObject> => {
  if (!isPlainObject(value)) return E.left(refused('params', 'is not a JSON object'));
  const flaw = findFlaw(value, 'params', 0, []);
  if (flaw !== undefined) return E.left(flaw);
  const params = withoutNegativeZero(value as JsonObject) as JsonObject;
  const bytes = utf8Length(JSON.stringify(params));
  return bytes > limit
    ? E.left(refused('params', `has ${bytes} bytes as JSON, at most ${limit} are allowed`))
    : E.right(params);
};

const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const className = (value: object): string => {
  const { constructor }: { readonly constructor?: unknown } = value;
  return typeof constructor === 'function' && constructor.name !== ''
    ? `a ${constructor.name}`
    : 'an object of a class';
};

const findFlaw = (
  value: unknown,
  path: string,
  depth: number,
  above: readonly unknown[],
): ParamsRefused | undefined => {
  switch (typeof value) {
    case 'boolean':
      return undefined;
    case 'string':
      return textFlaw(value, path);
    case 'number':
      return numberFlaw(value, path);
    case 'object':
      return value === null ? undefined : nestedFlaw(value, path, depth, above);
    default:
      return refused(
        path,
        `is ${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`}, which JSON cannot carry`,
      );
  }
};

const textFlaw = (text: string, path: string): ParamsRefused | undefined => {
  if (text.includes('\u0000')) return refused(path, 'holds a NUL character, which the database cannot store');
  return hasLoneSurrogate(text)
    ? refused(path, 'holds half a surrogate pair, which UTF-8 cannot carry')
    : undefined;
};

const numberFlaw = (value: number, path: string): ParamsRefused | undefined => {
  if (!Number.isFinite(value)) return refused(path, `is ${value}, which JSON cannot carry`);
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? refused(path, `is an integer beyond 2^53 (${value}); pass it as a text`)
    : undefined;
};

const nestedFlaw = (
  value: object,
  path: string,
  depth: number,
  above: readonly unknown[],
): ParamsRefused | undefined => {
  if (depth >= MAX_DEPTH) return refused(path, `is nested deeper than ${MAX_DEPTH} levels`);
  if (above.includes(value)) return refused(path, 'refers back to what holds it');
  const within = [...above, value];
  if (Array.isArray(value)) return arrayFlaw(value, path, depth, within);
  if (!isPlainObject(value)) return refused(path, `is ${className(value)}, not plain JSON`);
  if (typeof value['toJSON'] === 'function') return refused(path, 'has a toJSON function, not plain JSON');
  if (Object.getOwnPropertySymbols(value).length > 0) return refused(path, 'has a symbol as key');
  for (const [key, member] of Object.entries(value)) {
    const memberPath = `${path}.${key}`;
    const flaw = keyFlaw(key, memberPath) ?? findFlaw(member, memberPath, depth + 1, within);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
};

const keyFlaw = (key: string, path: string): ParamsRefused | undefined =>
  key === '__proto__' ? refused(path, 'is a key that JavaScript cannot carry safely') : textFlaw(key, path);

const arrayFlaw = (
  values: readonly unknown[],
  path: string,
  depth: number,
  within: readonly unknown[],
): ParamsRefused | undefined => {
  for (let index = 0; index < values.length; index += 1) {
    const at = `${path}[${index}]`;
    if (!(index in values)) return refused(at, 'is missing: the array has holes');
    const flaw = findFlaw(values[index], at, depth + 1, within);
    if (flaw !== undefined) return flaw;
  }
  return Object.keys(values).length > values.length
    ? refused(path, 'is an array with members besides its elements')
    : undefined;
};

const withoutNegativeZero = (value: Json): Json => {
  if (typeof value === 'number') return Object.is(value, -0) ? 0 : value;
  if (Array.isArray(value)) return value.map((member: Json) => withoutNegativeZero(member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, member]) => [key, withoutNegativeZero(member)]),
  );
};
