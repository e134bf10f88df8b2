/** Root and leaf jobs (seed 004): three params tie a job to its family (wiki, type, signature) and date it. */
import type { JsonObject } from '../json.js';
import type { Root } from './facts.js';

/** MediaWiki's 14-digit form, `YYYYMMDDHHMMSS` in UTC; such stamps are compared as texts. */
const STAMP = /^\d{14}$/;

export const mediaWikiTimestamp = (iso: string): string => iso.replace(/\D/g, '').slice(0, 14);

/** The family a job belongs to, read from its params; undefined where both signature and timestamp are not there. */
export const rootOf = (params: JsonObject): Root | undefined => {
  const { rootJobSignature: signature, rootJobTimestamp: timestamp, rootJobIsSelf } = params;
  if (typeof signature !== 'string' || typeof timestamp !== 'string' || !STAMP.test(timestamp))
    return undefined;
  return { signature, timestamp, isSelf: Boolean(rootJobIsSelf) };
};

export const withRootTimestamp = (params: JsonObject, timestamp: string): JsonObject => ({
  ...params,
  rootJobTimestamp: timestamp,
});

/**
 * The three params of a new root job.
 * @param key what the root is about, such as `refreshlinks:templatelinks:Template:Infobox`
 * @param sha1 SHA-1 of a text, as 40 hex digits
 * @param now ISO-8601 instant
 */
export const newRootJobParams = (key: string, sha1: (text: string) => string, now: string): JsonObject => ({
  rootJobIsSelf: true,
  rootJobSignature: sha1(key),
  rootJobTimestamp: mediaWikiTimestamp(now),
});
