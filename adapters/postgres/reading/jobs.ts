/** What people ask of the `job` table and its neighbours. */
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import type { StoreError } from '../../../domain/errors.js';
import type { JobRow, NumberedJob, ReadingDesk, Status } from '../../../projections/reading-desk.js';
import { attempt } from '../error-mapping.js';
import { inSchema, type SchemaName } from '../schema-name.js';
import { rowsOf, type Cells } from '../statement.js';
import { streamRows } from './stream-rows.js';

// Each begins with what the index by type and token can find. A job has one status: MediaWiki shows abandoned ones twice.
const CONDITIONS: Readonly<Record<Status, string>> = {
  unclaimed: `j.job_token = '' AND (j.job_release_timestamp IS NULL OR j.job_release_timestamp <= clock_timestamp())`,
  delayed: `j.job_token = '' AND j.job_release_timestamp > clock_timestamp()`,
  claimed: `j.job_token > '' AND j.job_state <> 'Abandoned'`,
  abandoned: `j.job_token > '' AND j.job_state = 'Abandoned'`,
};

const jobsOf = (status: Status): string => `
SELECT j.job_id::text, j.job_cmd, j.job_namespace::text, j.job_title,
  to_char(j.job_timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+00"'), j.job_params, encode(j.job_params_raw, 'hex')
FROM __schema__.job j
WHERE j.job_cmd = $1 AND ($2::text IS NULL OR j.job_wiki = $2) AND ${CONDITIONS[status]}
ORDER BY j.job_id
LIMIT $3`;

const ABANDONED = `
SELECT j.job_id::text, j.job_uuid::text
FROM __schema__.job j
WHERE j.job_state = 'Abandoned'
  AND ($1::text IS NULL OR j.job_cmd = $1)
  AND ($2::text IS NULL OR j.job_wiki = $2)
  AND j.job_id > $3::bigint
ORDER BY j.job_id
LIMIT $4::integer`;

// A claim's lease ends a fixed time behind it: whoever ends first has been held longest.
const HELD_LONGEST = `SELECT c.job::text FROM __schema__.claimed_job c ORDER BY c.lease_expires, c.job LIMIT $1`;

// A job has one number for ever, so it does not matter how far the table is behind.
const NUMBERED_IN_TABLE = `SELECT j.job_uuid::text FROM __schema__.job j WHERE j.job_id = $1`;
/** Jobs that are done have left the table; their first event keeps the number. */
const NUMBERED_IN_HISTORY = `
SELECT substr(e.stream, 5)
FROM __schema__.event e
WHERE e.type = 'JobEnqueued' AND e.data->>'number' = $1
LIMIT 1`;

// The planner knows nothing of the numbers in the history, and would read all of it for a few hundred of them.
const NAMESAKES = `
SELECT asked.number, found.job
FROM unnest($1::text[], $2::text[]) AS asked(number, job)
CROSS JOIN LATERAL (
  SELECT j.job_uuid::text FROM __schema__.job j WHERE j.job_id = asked.number::bigint AND j.job_uuid <> asked.job::uuid
  UNION ALL
  SELECT substr(e.stream, 5)
  FROM __schema__.event e
  WHERE e.type = 'JobEnqueued' AND e.data->>'number' = asked.number
    AND e.stream <> 'job-' || asked.job AND __schema__.only_by_index(e.revision)
  LIMIT 1
) AS found(job)`;

const jobRow = ([number, type, namespace, title, timestamp, text, raw]: Cells): JobRow => ({
  number: number ?? '',
  type: type ?? '',
  namespace: Number(namespace),
  title: title ?? '',
  timestamp: timestamp ?? '',
  params: raw === null || raw === undefined ? Buffer.from(text ?? '') : Buffer.from(raw, 'hex'),
});

const numberedJobs = (rows: readonly Cells[]): readonly NumberedJob[] =>
  rows.map(([number, jobId]) => ({ number: number ?? '', jobId: jobId ?? '' }));

export const readingOfJobs = (
  pool: pg.Pool,
  schema: SchemaName,
): Pick<ReadingDesk, 'jobs' | 'abandoned' | 'heldLongest' | 'jobNumbered' | 'namesakes'> => {
  const asked = (text: string, ...values: readonly unknown[]): TE.TaskEither<StoreError, readonly Cells[]> =>
    attempt(() => rowsOf(pool, { text: inSchema(text, schema) }, values));
  return {
    jobs: ({ type, status, wiki, limit }, onPage) =>
      streamRows(pool, inSchema(jobsOf(status), schema), [type, wiki ?? null, limit ?? null], (rows) =>
        onPage(rows.map(jobRow)),
      ),
    abandoned: ({ type, wiki }, after, limit) =>
      TE.map(numberedJobs)(asked(ABANDONED, type ?? null, wiki ?? null, after, limit)),
    heldLongest: (most) =>
      TE.map((rows: readonly Cells[]) => rows.map(([jobId]) => jobId ?? ''))(asked(HELD_LONGEST, most)),
    jobNumbered: (number) => async () => {
      for (const text of [NUMBERED_IN_TABLE, NUMBERED_IN_HISTORY]) {
        const rows = await asked(text, number.toString())();
        if (E.isLeft(rows)) return rows;
        const [row] = rows.right;
        if (row !== undefined) return E.right(row[0] ?? undefined);
      }
      return E.right(undefined);
    },
    namesakes: (jobs) => {
      if (jobs.length === 0) return TE.right([]);
      const columns = [jobs.map(({ number }) => number), jobs.map(({ jobId }) => jobId)];
      return TE.map(numberedJobs)(asked(NAMESAKES, ...columns));
    },
  };
};
