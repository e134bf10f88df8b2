/** What MediaWiki hashes to tell whether two jobs are the same work, and the `job_sha1` made of it. */
import type { Json, JsonObject } from '../json.js';
import { base36OfHex } from './base36.js';
import { phpArray, phpSerialize } from './php-array.js';
import { comparePhpKeys } from './php-key-order.js';

const NO_NAMESPACE = -1;
const NO_TITLE = '';
const NOT_HASHED: ReadonlySet<string> = new Set([
  'rootJobSignature',
  'rootJobTimestamp',
  'jobReleaseTimestamp',
  'requestId',
]);

export interface DedupSubject {
  readonly type: string;
  readonly namespace?: number | undefined;
  readonly title?: string | undefined;
  readonly params: JsonObject;
  /** A key of the caller's own, hashed in place of the params. */
  readonly dedupKey?: Json | undefined;
}

const hashedParams = ({ namespace = NO_NAMESPACE, title = NO_TITLE, params }: DedupSubject): string => {
  const entries = Object.entries<Json>({ ...params, ...missingPage(params, namespace, title) })
    .filter(([key]) => !NOT_HASHED.has(key))
    .toSorted(([left], [right]) => comparePhpKeys(left, right));
  return phpArray(entries.map(([key, value]) => [key, phpSerialize(value)]));
};

/** Params that name their page themselves win, as they do in MediaWiki. */
const missingPage = (params: JsonObject, namespace: number, title: string): JsonObject => ({
  ...(Object.hasOwn(params, 'namespace') ? {} : { namespace }),
  ...(Object.hasOwn(params, 'title') ? {} : { title }),
});

/** The text that a MediaWiki `Job` of these facts hashes. */
export const dedupInfo = (subject: DedupSubject): string =>
  phpArray([
    ['type', phpSerialize(subject.type)],
    ['params', subject.dedupKey === undefined ? hashedParams(subject) : phpSerialize(subject.dedupKey)],
  ]);

/** `job_sha1`, given a function that gives the hexadecimal SHA-1 of a text's UTF-8 bytes. */
export const jobSha1 =
  (sha1Hex: (text: string) => string) =>
  (subject: DedupSubject): string =>
    base36OfHex(sha1Hex(dedupInfo(subject)));
