/**
 * How much work a job is, as MediaWiki counts it for its throttling: a job that only makes others is none, one that names pages is as many
 * as they are, any other is one.
 */
import type { JsonObject } from '../json.js';

/** PHP's `empty`. */
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === '' ||
  value === '0' ||
  (Array.isArray(value) && value.length === 0);

export const workItems = (params: JsonObject): number => {
  const { recursive, pages } = params;
  if (!isEmpty(recursive)) return 0;
  return typeof pages === 'object' && pages !== null ? Object.keys(pages).length : 1;
};
