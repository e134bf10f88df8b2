/** The statement of every append: one round trip, one commit, each stream all or nothing. */
import type { EncodedAppend } from '../encoded-append.js';
import { jsonArray, textArray } from './binary-array.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, type Statement } from './statement.js';

/**
 * Writes that belong to the append: one or more CTEs `name AS (…)`, separated by commas. `param(i)` is the placeholder of
 * `params[i]`; cast it. The CTE `won(stream)` lists the streams whose events are being inserted. The text may depend on
 * `name` and the number of parameters only.
 */
export interface Fragment {
  readonly name: string;
  /** Runs before the events are inserted, and so cannot read `won`. */
  readonly goesFirst?: boolean;
  readonly sql: (param: (index: number) => string) => string;
  readonly params: readonly unknown[];
}

// The sub-selects around the parameters hide the arrays' lengths from the planner: it would plan every call anew (0.5 ms).
const INPUT = `
input AS MATERIALIZED (
  SELECT i.n, i.leads, i.stream, i.revision, i.id, i.type, i.data, i.metadata,
    coalesce(i.recorded_at, date_trunc('milliseconds', clock_timestamp())) AS recorded_at
  FROM unnest(
    (SELECT $1::boolean[]), (SELECT $2::text[]), (SELECT $3::bigint[]), (SELECT $4::uuid[]),
    (SELECT $5::text[]), (SELECT $6::json[]), (SELECT $7::json[]), (SELECT $8::timestamptz[])
  ) WITH ORDINALITY AS i (leads, stream, revision, id, type, data, metadata, recorded_at, n)
)`;
const INPUT_PARAMETERS = 8;

// A scalar sub-select is never hashed, and only_by_index keeps it in the primary key: a look-up, whatever the statistics say.
const wonSql = (before: readonly string[]): string => `
won AS (
  INSERT INTO __schema__.event (stream, revision, id, type, data, metadata, recorded_at)
  SELECT i.stream, i.revision, i.id, i.type, i.data, i.metadata, i.recorded_at
  FROM input i
  WHERE i.leads AND (
    i.revision = 0
    OR (
      SELECT p.revision FROM __schema__.event p
      WHERE p.stream = i.stream AND p.revision = i.revision - 1 AND __schema__.only_by_index(p.revision)
    ) IS NOT NULL
  )${before.map((name) => ` AND (SELECT count(*) FROM ${name}) >= 0`).join('')}
  ORDER BY i.n
  ON CONFLICT (stream, revision) DO NOTHING
  RETURNING stream
)`;

const REST = `
rest AS (
  INSERT INTO __schema__.event (stream, revision, id, type, data, metadata, recorded_at)
  SELECT i.stream, i.revision, i.id, i.type, i.data, i.metadata, i.recorded_at
  FROM input i JOIN won w ON w.stream = i.stream
  WHERE NOT i.leads
  ORDER BY i.n
)`;

const textOf = (schema: SchemaName, hasRest: boolean, fragments: readonly Fragment[]): string => {
  let offset = INPUT_PARAMETERS;
  const writes = fragments.map((fragment) => {
    const base = offset + 1;
    offset += fragment.params.length;
    return { ...fragment, text: fragment.sql((index) => `$${base + index}`) };
  });
  const first = writes.filter(({ goesFirst }) => goesFirst === true);
  const later = writes.filter(({ goesFirst }) => goesFirst !== true);
  const tables = [
    INPUT,
    ...first.map(({ text }) => text),
    wonSql(first.map(({ name }) => name)),
    ...(hasRest ? [REST] : []),
    ...later.map(({ text }) => text),
  ];
  return inSchema(`WITH${tables.join(',')} SELECT json_agg(w.stream)::text FROM won w`, schema);
};

/** Texts by the combination of fragments, so that each is made, hashed and prepared once. */
export const appendStatements = (
  schema: SchemaName,
): ((hasRest: boolean, fragments: readonly Fragment[]) => Statement) => {
  const statements = new Map<string, Statement>();
  return (hasRest, fragments) => {
    const key = `${hasRest}|${fragments.map(({ name, params }) => `${name}:${params.length}`).join('|')}`;
    const known = statements.get(key);
    if (known !== undefined) return known;
    const statement = prepared('append', textOf(schema, hasRest, fragments));
    statements.set(key, statement);
    return statement;
  };
};

/** The parameters before those of the fragments. Appends come sorted by stream, so that two calls cannot deadlock. */
export const appendParameters = (appends: readonly EncodedAppend[]): readonly unknown[] => {
  const leads: string[] = [];
  const streams: string[] = [];
  const revisions: string[] = [];
  const ids: string[] = [];
  const types: string[] = [];
  const data: string[] = [];
  const metadata: string[] = [];
  const times: string[] = [];
  let hasTimes = false;
  for (const { append, events } of appends) {
    for (const [index, event] of events.entries()) {
      leads.push(index === 0 ? 't' : 'f');
      streams.push(append.stream);
      revisions.push(String(event.revision));
      ids.push(event.id);
      types.push(event.type);
      data.push(event.data);
      metadata.push(event.metadata);
      times.push(event.recordedAt ?? 'NULL');
      hasTimes ||= event.recordedAt !== undefined;
    }
  }
  return [
    literal(leads),
    textArray(streams),
    literal(revisions),
    literal(ids),
    textArray(types),
    jsonArray(data),
    jsonArray(metadata),
    hasTimes ? literal(times) : null,
  ];
};

/** An array of values that need no quotes. */
const literal = (values: readonly string[]): string => `{${values.join(',')}}`;
