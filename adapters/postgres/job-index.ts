/** Look-ups in the inline tables, several questions a trip; answers come in the order of the questions. */
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DedupKey, ExecutedEqual, Family, FamilyRoot, JobIndex } from '../../projections/ports.js';
import type { RootState } from '../../projections/root-job.js';
import { attempt } from './error-mapping.js';
import { isoSql } from './iso.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Cells, type Queryable } from './statement.js';

const SURVIVORS = `
SELECT asked.n::text, found.job::text
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked(wiki, type, sha1, n)
CROSS JOIN LATERAL (
  SELECT d.job, d.number
  FROM __schema__.duplicate d
  WHERE d.is_survivor AND d.wiki = asked.wiki AND d.type = asked.type AND d.sha1 = asked.sha1
  ORDER BY d.number
  LIMIT 5
) AS found
ORDER BY asked.n, found.number`;

// The position is read from the history itself: what a row says of another store's positions would be worth nothing.
const EXECUTED_EQUALS = `
SELECT asked.n::text, found.job::text, found.position::text, found.root_timestamp
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked(wiki, type, sha1, n)
CROSS JOIN LATERAL (
  SELECT d.job, begun.position, d.root_timestamp
  FROM __schema__.duplicate d
  JOIN __schema__.event begun ON begun.stream = 'job-' || d.job AND begun.revision = d.begun_revision
  WHERE d.begun_revision IS NOT NULL AND d.wiki = asked.wiki AND d.type = asked.type AND d.sha1 = asked.sha1
  ORDER BY begun.position DESC
  LIMIT 1
) AS found`;

const NEWEST_ROOTS = `
SELECT asked.n::text, found.job::text, found.timestamp, found.state
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked(wiki, type, signature, n)
CROSS JOIN LATERAL (
  SELECT r.job, r.timestamp, r.state
  FROM __schema__.root_job r
  WHERE r.wiki = asked.wiki AND r.type = asked.type AND r.signature = asked.signature
  ORDER BY r.timestamp DESC, r.job
  LIMIT 5
) AS found
ORDER BY asked.n, found.timestamp DESC, found.job`;

const NEWEST_BEGUN = `
SELECT asked.n::text, found.timestamp
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked(wiki, type, signature, n)
CROSS JOIN LATERAL (
  SELECT r.timestamp
  FROM __schema__.root_job r
  WHERE r.state <> 'waiting' AND r.wiki = asked.wiki AND r.type = asked.type AND r.signature = asked.signature
  ORDER BY r.timestamp DESC
  LIMIT 1
) AS found`;

/** Positions that are looked through: as many as one batch of enqueues draws, and some. */
const QUIET_POSITIONS = 2_000;

const QUIET_UNTIL = `
SELECT asked.n::text, coalesce((
  SELECT e.position
  FROM __schema__.event e
  WHERE e.position > asked.position AND e.position <= asked.position + ${QUIET_POSITIONS} AND e.type = 'AttemptStarted'
  ORDER BY e.position
  LIMIT 1
), asked.position + ${QUIET_POSITIONS + 1})::text
FROM unnest($1::bigint[]) WITH ORDINALITY AS asked(position, n)
ORDER BY asked.n`;

const SUPPRESSED_IDS = `
SELECT asked.n::text, min(s.survivor::text)
FROM unnest($1::uuid[]) WITH ORDINALITY AS asked(job, n)
JOIN __schema__.suppressed_job s ON s.job = asked.job
GROUP BY asked.n`;

const NUMBERS = `SELECT nextval('__schema__.job_number'::regclass)::text FROM generate_series(1, $1::integer)`;

const columns = <A>(rows: readonly A[], ...read: readonly ((row: A) => string)[]): readonly string[][] =>
  read.map((cell) => rows.map(cell));

/** Rows whose first cell is the number of the question, from 1, gathered by question. */
export const byQuestion = <A>(
  count: number,
  rows: readonly Cells[],
  read: (cells: Cells) => A,
): readonly A[][] => {
  const answers = Array.from({ length: count }, (): A[] => []);
  for (const row of rows) answers[Number(row[0]) - 1]?.push(read(row));
  return answers;
};

const readExecuted = ([, jobId, position, rootTimestamp]: Cells): ExecutedEqual => ({
  jobId: jobId ?? '',
  position: BigInt(position ?? 0),
  rootTimestamp: rootTimestamp ?? undefined,
});

const rootState = (text: string | null | undefined): RootState =>
  text === 'begun' || text === 'succeeded' ? text : 'waiting';

const readRoot = ([, jobId, timestamp, state]: Cells): FamilyRoot => ({
  jobId: jobId ?? '',
  timestamp: timestamp ?? '',
  state: rootState(state),
});

export const dedupColumns = (keys: readonly DedupKey[]) =>
  columns(
    keys,
    ({ wiki }) => wiki,
    ({ type }) => type,
    ({ sha1 }) => sha1,
  );

const familyColumns = (families: readonly Family[]) =>
  columns(
    families,
    ({ wiki }) => wiki,
    ({ type }) => type,
    ({ signature }) => signature,
  );

export const postgresJobIndex = (db: Queryable, schema: SchemaName): JobIndex => {
  const survivors = prepared('survivors', inSchema(SURVIVORS, schema));
  const executed = prepared('executed', inSchema(EXECUTED_EQUALS, schema));
  const roots = prepared('roots', inSchema(NEWEST_ROOTS, schema));
  const begun = prepared('begun-roots', inSchema(NEWEST_BEGUN, schema));
  const quiet = prepared('quiet-until', inSchema(QUIET_UNTIL, schema));
  const suppressed = prepared('suppressed-ids', inSchema(SUPPRESSED_IDS, schema));
  const numbers = prepared('numbers', inSchema(NUMBERS, schema));
  const clock = prepared('clock', `SELECT ${isoSql('clock_timestamp()')}`);
  return {
    survivors: (keys) =>
      attempt(async () => {
        const rows = keys.length === 0 ? [] : await rowsOf(db, survivors, dedupColumns(keys));
        return byQuestion(keys.length, rows, (cells) => cells[1] ?? '');
      }),
    executedEquals: (keys) =>
      attempt(async () => {
        const rows = keys.length === 0 ? [] : await rowsOf(db, executed, dedupColumns(keys));
        return byQuestion(keys.length, rows, readExecuted).map(([latest]) => latest);
      }),
    newestRoots: (families) =>
      attempt(async () => {
        const rows = families.length === 0 ? [] : await rowsOf(db, roots, familyColumns(families));
        return byQuestion(families.length, rows, readRoot);
      }),
    newestBegun: (families) =>
      attempt(async () => {
        const rows = families.length === 0 ? [] : await rowsOf(db, begun, familyColumns(families));
        return byQuestion(families.length, rows, (cells) => cells[1] ?? '').map(([newest]) => newest);
      }),
    quietUntil: (positions) =>
      attempt(async () => {
        const rows = positions.length === 0 ? [] : await rowsOf(db, quiet, [positions.map(String)]);
        return rows.map((cells) => BigInt(cells[1] ?? 0));
      }),
    suppressedIds: (jobIds) =>
      attempt(async () => {
        const rows = jobIds.length === 0 ? [] : await rowsOf(db, suppressed, [jobIds]);
        return byQuestion(jobIds.length, rows, (cells) => cells[1] ?? '').map(([survivor]) => survivor);
      }),
    // Here a stream that is gone leaves nothing behind.
    spentIds: () => TE.right(new Set()),
    drawNumbers: (count) =>
      attempt(async () => (await rowsOf(db, numbers, [count])).map(([number]) => BigInt(number ?? 0))),
    now: () => attempt(async () => (await rowsOf(db, clock, []))[0]?.[0] ?? ''),
  };
};
