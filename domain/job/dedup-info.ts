/** What MediaWiki hashes to tell whether two jobs are the same work, and the `job_sha1` made of it. */
import type { Json, JsonObject } from '../json.js';
import { base36OfHex } from './base36.js';
import { withPage, type Page } from './page.js';
import { phpArray, phpSerialize } from './php-array.js';
import { comparePhpKeys, inByteOrder } from './php-key-order.js';

const NOT_HASHED: ReadonlySet<string> = new Set([
  'rootJobSignature',
  'rootJobTimestamp',
  'jobReleaseTimestamp',
  'requestId',
]);

export interface DedupSubject extends Page {
  readonly type: string;
  readonly params: JsonObject;
  /** A key of the caller's own, hashed in place of the params. */
  readonly dedupKey?: Json | undefined;
}

const hashedParams = ({ params, ...page }: DedupSubject): string => {
  const entries = Object.entries<Json>(withPage(params, page))
    .filter(([key]) => !NOT_HASHED.has(key))
    .toSorted(([left], [right]) => comparePhpKeys(left, right));
  return phpArray(entries.map(([key, value]) => [key, phpSerialize(value)]));
};

/** The text that a MediaWiki `Job` of these facts hashes: keys in the order of ksort(), those of nested arrays as they are given. */
export const dedupInfo = (subject: DedupSubject): string =>
  phpArray([
    ['type', phpSerialize(subject.type)],
    ['params', subject.dedupKey === undefined ? hashedParams(subject) : phpSerialize(subject.dedupKey)],
  ]);

/**
 * The one form that equal values share, whoever wrote them down (ADR 7): the keys of every object in one order. The order of a list
 * is part of its value.
 */
export const canonical = <Value extends Json>(value: Value): Value => ordered(value) as Value;

const ordered = (value: Json): Json => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  const entries = Object.entries<Json>(value as JsonObject);
  return Object.fromEntries(inByteOrder(entries).map(([key, member]) => [key, ordered(member)]));
};

/** `job_sha1`, given a function that gives the hexadecimal SHA-1 of a text's UTF-8 bytes. */
export const jobSha1 =
  (sha1Hex: (text: string) => string) =>
  (subject: DedupSubject): string =>
    base36OfHex(sha1Hex(dedupInfo(subject)));
