/** A JSON value, and its codec. Source of truth for everything that travels inside an event. */
import * as t from 'io-ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values read from the store came through JSON.parse and are JSON by construction: only the outer shape is looked at. */
export const JsonObject = new t.Type<JsonObject, JsonObject, unknown>(
  'JsonObject',
  (value): value is JsonObject => isRecord(value),
  (value, context) => (isRecord(value) ? t.success(value as JsonObject) : t.failure(value, context)),
  t.identity,
);
export const Json = new t.Type<Json, Json, unknown>(
  'Json',
  (value): value is Json => value !== undefined,
  (value, context) => (value === undefined ? t.failure(value, context) : t.success(value as Json)),
  t.identity,
);
