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

// A scalar sub-select is never hashed: it stays a look-up in the primary key, whatever the statistics say.
const WON = `
won AS (
  INSERT INTO __schema__.event (stream, revision, id, type, data, metadata, recorded_at)
  SELECT i.stream, i.revision, i.id, i.type, i.data, i.metadata, i.recorded_at
  FROM input i
  WHERE i.leads AND (
    i.revision = 0
    OR (SELECT p.revision FROM __schema__.event p WHERE p.stream = i.stream AND p.revision = i.revision - 1) IS NOT NULL
  )
  ORDER BY i.n
  ON CONFLICT (stream, revision) DO NOTHING
  RETURNING stream, position
)`;

const REST = `
rest AS (
  INSERT INTO __schema__.event (stream, revision, id, type, data, metadata, recorded_at)
  SELECT i.stream, i.revision, i.id, i.type, i.data, i.metadata, i.recorded_at
  FROM input i JOIN won w ON w.stream = i.stream
  WHERE NOT i.leads
  ORDER BY i.n
  RETURNING stream, position
)`;

const outcome = (from: string): string => `
SELECT json_object_agg(o.stream, o.position)::text
FROM (SELECT w.stream, max(w.position)::text AS position FROM ${from} w GROUP BY w.stream) o`;

const textOf = (schema: SchemaName, hasRest: boolean, fragments: readonly Fragment[]): string => {
  let offset = INPUT_PARAMETERS;
  const writes = fragments.map((fragment) => {
    const base = offset + 1;
    offset += fragment.params.length;
    return fragment.sql((index) => `$${base + index}`);
  });
  const tables = [INPUT, WON, ...(hasRest ? [REST] : []), ...writes];
  const from = hasRest ? '(SELECT * FROM won UNION ALL SELECT * FROM rest)' : 'won';
  return inSchema(`WITH${tables.join(',')}${outcome(from)}`, schema);
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
  const events = appends.flatMap(({ append, events: encoded }) =>
    encoded.map((event, index) => ({ ...event, stream: append.stream, leads: index === 0 })),
  );
  const hasTimes = events.some(({ recordedAt }) => recordedAt !== undefined);
  return [
    `{${events.map(({ leads }) => (leads ? 't' : 'f')).join(',')}}`,
    textArray(events.map(({ stream }) => stream)),
    `{${events.map(({ revision }) => revision).join(',')}}`,
    `{${events.map(({ id }) => id).join(',')}}`,
    textArray(events.map(({ type }) => type)),
    jsonArray(events.map(({ data }) => data)),
    jsonArray(events.map(({ metadata }) => metadata)),
    hasTimes ? `{${events.map(({ recordedAt }) => recordedAt ?? 'NULL').join(',')}}` : null,
  ];
};
