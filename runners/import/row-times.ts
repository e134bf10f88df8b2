/** Moments of a `job` row as the events state them. */
import { isoTimestamp } from '../../adapters/mediawiki/dump/dump-timestamp.js';
import { isoOf, millisecondsOf } from '../../domain/instant.js';
import type { JsonObject } from '../../domain/json.js';

/** With milliseconds, as instants that are compared have them. */
export const instantOf = (timestamp: string): string => isoOf(millisecondsOf(timestamp));

/** As the row has it: microseconds, where there are any, are kept. */
export const exactInstant = (timestamp: string): string =>
  /\.\d{4,}Z$/.test(timestamp) ? timestamp : instantOf(timestamp);

const STAMP = /^\d{14}$/;
const UNIX_SECONDS = /^\d{1,11}$/;

/** When a delayed job falls due: MediaWiki takes its 14 digits or seconds since 1970. Anything else delays nothing there either. */
export const releaseTime = ({ jobReleaseTimestamp: value }: JsonObject): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  if (UNIX_SECONDS.test(text)) return isoOf(Number(text) * 1_000);
  const stamp = STAMP.test(text) ? isoTimestamp(text) : undefined;
  return stamp === undefined ? undefined : instantOf(stamp);
};
