/**
 * JSON read without silent loss. JSON.parse rounds large integers, turns 1e400 into Infinity and keeps the last of two equal keys, and
 * its errors do not always name a position; so the text is walked first.
 */
import * as E from 'fp-ts/lib/Either.js';

export interface JsonFlaw {
  /** Such as `params.a[2]`; empty for the text as a whole. */
  readonly path: string;
  /** Without the path, to stand behind it. */
  readonly message: string;
}

interface Walk {
  readonly text: string;
  at: number;
  flaw: JsonFlaw | undefined;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// eslint-disable-next-line no-control-regex -- JSON texts may not hold them
const TEXT = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const WORD = /true|false|null/y;
/** Far above what params may have; the walk must not end in a stack overflow. */
const MAX_DEPTH = 500;
const LONGEST_SHOWN = 40;

export const readJson = (text: string, path = ''): E.Either<JsonFlaw, unknown> => {
  const walk: Walk = { text, at: 0, flaw: undefined };
  if (walkValue(walk, path, 0)) {
    skipSpace(walk);
    if (walk.at < text.length) unexpected(walk, 'the end');
  }
  return walk.flaw === undefined ? E.right(JSON.parse(text)) : E.left(walk.flaw);
};

const fail = (walk: Walk, path: string, message: string): false => {
  walk.flaw ??= { path, message };
  return false;
};

const unexpected = (walk: Walk, expected: string): false => {
  const { text, at } = walk;
  const character = text.codePointAt(at);
  const found =
    character === undefined
      ? 'where the text ends'
      : `not ${JSON.stringify(String.fromCodePoint(character))}`;
  return fail(walk, '', `is not JSON: ${expected} is expected at position ${at}, ${found}`);
};

/** A text may begin here, but none that ends as one. */
const badText = (walk: Walk, expected: string): false =>
  walk.text[walk.at] === '"'
    ? fail(
        walk,
        '',
        `is not JSON: the text that begins at position ${walk.at} does not end, or holds a control character or an unknown escape`,
      )
    : unexpected(walk, expected);

const match = (walk: Walk, pattern: RegExp): string | undefined => {
  pattern.lastIndex = walk.at;
  const found = pattern.exec(walk.text)?.[0];
  if (found !== undefined) walk.at += found.length;
  return found;
};

const skipSpace = (walk: Walk): void => {
  match(walk, SPACE);
};

const take = (walk: Walk, character: string): boolean => {
  skipSpace(walk);
  if (walk.text[walk.at] !== character) return false;
  walk.at += 1;
  return true;
};

const walkValue = (walk: Walk, path: string, depth: number): boolean => {
  if (depth > MAX_DEPTH) return fail(walk, path, `is nested deeper than ${MAX_DEPTH} levels`);
  if (take(walk, '{')) return walkObject(walk, path, depth);
  if (take(walk, '[')) return walkArray(walk, path, depth);
  if (match(walk, TEXT) !== undefined || match(walk, WORD) !== undefined) return true;
  const number = match(walk, NUMBER);
  if (number === undefined) return badText(walk, 'a value');
  const flaw = numberFlaw(number);
  return flaw === undefined || fail(walk, path, flaw);
};

const walkObject = (walk: Walk, path: string, depth: number): boolean => {
  if (take(walk, '}')) return true;
  const keys = new Set<string>();
  do {
    skipSpace(walk);
    const literal = match(walk, TEXT);
    if (literal === undefined) return badText(walk, 'a key in double quotes');
    const key = String(JSON.parse(literal));
    const at = path === '' ? key : `${path}.${key}`;
    if (keys.has(key)) return fail(walk, at, 'is there twice');
    keys.add(key);
    if (!take(walk, ':')) return unexpected(walk, 'a colon');
    if (!walkValue(walk, at, depth + 1)) return false;
  } while (take(walk, ','));
  return take(walk, '}') || unexpected(walk, '"," or "}"');
};

const walkArray = (walk: Walk, path: string, depth: number): boolean => {
  if (take(walk, ']')) return true;
  let index = 0;
  do {
    if (!walkValue(walk, `${path}[${index}]`, depth + 1)) return false;
    index += 1;
  } while (take(walk, ','));
  return take(walk, ']') || unexpected(walk, '"," or "]"');
};

/** Fractions are rounded to the nearest double by everyone who reads JSON; whole numbers and magnitudes may not change. */
const numberFlaw = (literal: string): string | undefined => {
  const value = Number(literal);
  const shown = literal.length > LONGEST_SHOWN ? `${literal.slice(0, LONGEST_SHOWN)}…` : literal;
  if (!Number.isFinite(value)) return `is ${shown}, a number too large to be kept; pass it as a text`;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return `is ${shown}, beyond 2^53, where whole numbers cannot be kept exactly; pass it as a text`;
  }
  return value === 0 && /^[^eE]*[1-9]/.test(literal)
    ? `is ${shown}, a number too small to be kept; pass it as a text`
    : undefined;
};
