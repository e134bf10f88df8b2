/** A job as MediaWiki's scripts write it: type, title, params as `key=value`, id and timestamp; here always on one line. */
import type { Json, JsonObject } from '../../domain/json.js';
import { printable } from '../cli/text-table.js';
import { prefixedTitle } from './prefixed-title.js';

export interface ListedJob {
  readonly number: string;
  readonly type: string;
  /** −1 where it is about no page. */
  readonly namespace: number;
  readonly title: string;
  /** `YYYY-MM-DD HH:MM:SS+00`, or nothing. */
  readonly timestamp: string;
  /** Undefined where they cannot be read. */
  readonly params: JsonObject | undefined;
}

const MOST_ENTRIES = 10;
const LONGEST_ENTRY = 512;
const LONGEST_VALUE = 1_024;

const lengthOf = (text: string): number => Array.from(text).length;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** As MediaWiki encodes it by default: what is not ASCII, and what HTML would take as its own, as escapes. */
const encoded = (value: Json): string =>
  JSON.stringify(value)
    .replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/[\u0080-\uFFFF]/g, escaped);

const phpTypeOf = (value: Json): string => {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'double';
    case 'boolean':
      return 'boolean';
    default:
      return value === null ? 'NULL' : 'array';
  }
};

const entry = (value: Json): Json =>
  lengthOf(encoded(value)) > LONGEST_ENTRY ? `${phpTypeOf(value)}(...)` : value;

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const compound = (value: readonly Json[] | JsonObject): string => {
  const size = Object.keys(value).length;
  if (size > MOST_ENTRIES) return `array(${size})`;
  return encoded(
    isList(value)
      ? value.map(entry)
      : Object.fromEntries(Object.entries<Json>(value).map(([key, member]) => [key, entry(member)])),
  );
};

const plain = (value: string | number | boolean | null): string => {
  if (value === true) return '1';
  return value === false || value === null ? '' : String(value);
};

const isCompound = (value: Json): value is readonly Json[] | JsonObject =>
  typeof value === 'object' && value !== null;

const flat = (value: Json): string => {
  const text = isCompound(value) ? compound(value) : plain(value);
  const length = lengthOf(text);
  return (length > LONGEST_VALUE ? `string(${length})` : text).replace(/\s+/g, ' ');
};

/** MediaWiki says in the params which page they are about. */
const withPage = ({ params = {}, namespace, title }: ListedJob): JsonObject => ({
  ...params,
  ...(Object.hasOwn(params, 'namespace') ? {} : { namespace }),
  ...(Object.hasOwn(params, 'title') ? {} : { title }),
});

export const jobLine = (job: ListedJob): string => {
  const { number, type, namespace, title, timestamp } = job;
  const page = prefixedTitle(namespace, title);
  const params =
    job.params === undefined
      ? ['(its params cannot be read)']
      : Object.entries<Json>(withPage(job)).map(([key, value]) => `${key}=${flat(value)}`);
  return printable([type, page, ...params, `(id=${number},timestamp=${timestamp})`].join(' '));
};
