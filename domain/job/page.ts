/** Where a job's page stands: in MediaWiki it is part of the params, and a job that is about none has none there. */
import type { JsonObject } from '../json.js';

export interface Page {
  readonly namespace?: number | undefined;
  readonly title?: string | undefined;
}

const MAIN_NAMESPACE = 0;

const isSet = (params: JsonObject, name: string): boolean =>
  Object.hasOwn(params, name) && params[name] !== null;

/** The params as a MediaWiki `Job` holds them. Params that name a page themselves win. */
export const withPage = (params: JsonObject, { namespace, title }: Page): JsonObject => {
  if (namespace === undefined && title === undefined) return params;
  if (isSet(params, 'namespace') || isSet(params, 'title')) return params;
  return { ...params, namespace: namespace ?? MAIN_NAMESPACE, title: title ?? '' };
};
