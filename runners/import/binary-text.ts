/**
 * Texts with a NUL, which JSON can carry and PostgreSQL's json operators cannot: one such event would make `data->>'type'` fail for
 * every event beside it. Their params are given as data URLs, as those that are not UTF-8 are.
 */
import { isUtf8 } from 'node:buffer';
import type { Json, JsonObject } from '../../domain/json.js';

export const isPlainText = (bytes: Buffer): boolean => !bytes.includes(0) && isUtf8(bytes);

const dataUrl = (text: string): string =>
  text.includes('\0') ? `data:application/octet-stream;base64,${Buffer.from(text).toString('base64')}` : text;

const plainValue = (value: Json): Json => {
  if (typeof value === 'string') return dataUrl(value);
  if (Array.isArray(value)) return value.map((member: Json) => plainValue(member));
  return typeof value === 'object' && value !== null ? withoutNul(value as JsonObject) : value;
};

export const withoutNul = (params: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries<Json>(params).map(([key, value]) => [dataUrl(key), plainValue(value)]));
