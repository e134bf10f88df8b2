// Jobs in every standing, a great many of them: each kind's events are what the domain decides, copied in the database for job after job.
import pg from 'pg';
import type { JobCommand } from '../../domain/job/commands.js';
import type { JobEnqueued } from '../../domain/job/events.js';
import { storyOf } from '../runners/reading/recorded-story.js';
import {
  cancel,
  claim,
  enqueue,
  fail,
  refuse,
  release,
  requeue,
  start,
  succeed,
  suppress,
} from './given-commands.js';

const TEMPLATE = '01890000-0000-7000-8000-000000000007';

/** Stand in the events for what differs from job to job. */
const MARKS = {
  wiki: 'the-wiki',
  type: 'theType',
  number: '987654321987654321',
  priority: 987_654_321,
  enqueuedAt: '2025-01-01T00:00:00.000Z',
} as const;
const DUE = '2101-01-01T00:00:00.000Z';
/** What fails then is due again at the mark of due times. */
const TEN_SECONDS_BEFORE_DUE = '2100-12-31T23:59:50.000Z';

const born = (facts: Partial<JobEnqueued> = {}): JobCommand => enqueue({ ...MARKS, ...facts });

const attempt = (...end: readonly JobCommand[]): readonly JobCommand[] => [claim(), start(), ...end];

type Due = 'past' | 'future';

/** Due times as SQL of n: spread over minutes, and never within the one that is running. */
const DUE_TIMES: Readonly<Record<Due, string>> = {
  past: `timestamptz '2026-03-02T00:00:00Z' + n % 40000 * interval '1.7 seconds'`,
  future: `date_trunc('minute', now()) + interval '1 day' + n % 36000 * interval '1 second'`,
};

interface Kind {
  readonly commands: readonly JobCommand[];
  readonly due?: Due;
}

/** Kinds by the last digits of n; whatever is not named waits and has never been claimed. */
const KINDS: readonly Kind[] = [
  { commands: [born({ notBefore: DUE })], due: 'future' },
  { commands: [born({ notBefore: DUE })], due: 'future' },
  { commands: [born({ notBefore: DUE })], due: 'past' },
  { commands: [born(), ...attempt(fail({ now: TEN_SECONDS_BEFORE_DUE }))], due: 'past' },
  { commands: [born(), ...attempt(fail({ now: TEN_SECONDS_BEFORE_DUE }))], due: 'future' },
  { commands: [born(), claim()] },
  { commands: [born(), ...attempt()] },
  { commands: [born(), claim(), release()] },
  { commands: [born(), claim(), refuse()] },
  { commands: [born(), claim(), refuse(), requeue()] },
  { commands: [born(), ...attempt(succeed())] },
  { commands: [born(), cancel()] },
  { commands: [born({ notBefore: DUE }), cancel()], due: 'future' },
  { commands: [born(), claim({ executedLater: { jobId: TEMPLATE } })] },
  {
    commands: [
      born({ dedup: { ignoreDuplicates: true, sha1: 'p42glrsl783wj55io7lxhmhxf0e5db5' } }),
      suppress(MARKS),
    ],
  },
];
const OF_JOBS = 40;

const eventsOf = ({ commands }: Kind) =>
  storyOf(TEMPLATE, commands).map(({ revision, type, data, metadata }) => ({
    revision: String(revision),
    type,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  }));

const templates = (): string => {
  const waiting = Array.from({ length: OF_JOBS - KINDS.length }, (): Kind => ({ commands: [born()] }));
  const rows = [...KINDS, ...waiting].flatMap((kind, n) =>
    eventsOf(kind).map((event) => ({ kind: n, due: kind.due ?? null, ...event })),
  );
  return JSON.stringify(rows);
};

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

/** What stands in the place of each mark, as SQL of n. */
const replaced = (queues: number): string =>
  [
    [MARKS.wiki, `'wiki-' || n / ${OF_JOBS} % ${queues} / 20`],
    [MARKS.type, `'type-' || n / ${OF_JOBS} % ${queues} % 20`],
    [MARKS.number, `n::text`],
    [String(MARKS.priority), `(n / 7 % 5)::text`],
    [MARKS.enqueuedAt, `to_char(timestamp '2026-02-01' + n * interval '1 millisecond', ${ISO})`],
    [
      DUE,
      `to_char(CASE t.due WHEN 'past' THEN ${DUE_TIMES.past} ELSE ${DUE_TIMES.future} END AT TIME ZONE 'UTC', ${ISO})`,
    ],
  ].reduce((text, [mark, sql]) => `replace(${text}, '${mark}', ${sql})`, 't.data');

const fill = (jobs: number, queues: number): string => `
INSERT INTO jobledger.event (stream, revision, id, type, data, metadata)
SELECT 'job-' || '01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), t.revision, gen_random_uuid(), t.type, (${replaced(queues)})::json,
  t.metadata::json
FROM generate_series(1, ${jobs}) AS n
JOIN json_to_recordset($1::json) AS t (kind integer, due text, revision bigint, type text, data text, metadata text)
  ON t.kind = n % ${OF_JOBS}
ORDER BY n, t.revision`;

/** `ready_job` and `delayed_job`, as the history has them. */
const STAND = `
INSERT INTO jobledger.ready_job (job, wiki, type, class, priority, number, due, revision, since)
SELECT job, wiki, type, 3, priority, number, due, revision, coalesce(due, back) FROM pg_temp.standing WHERE is_waiting AND NOT is_delayed;
INSERT INTO jobledger.delayed_job (job, wiki, type, class, priority, number, due, revision, since)
SELECT job, wiki, type, 3, priority, number, due, revision, due FROM pg_temp.standing WHERE is_waiting AND is_delayed;
ANALYZE jobledger.event; ANALYZE jobledger.ready_job; ANALYZE jobledger.delayed_job`;

/** Every job as its own stream leaves it, read from the events alone. */
const STANDING = `
CREATE TEMPORARY TABLE standing AS
SELECT *, due IS NOT NULL AND due > now() AS is_delayed
FROM (
  SELECT substr(born.stream, 5)::uuid AS job, born.data->>'wiki' AS wiki, born.data->>'type' AS type,
    (born.data->>'priority')::integer AS priority, (born.data->>'number')::bigint AS number, last.revision, last.type AS last,
    last.type IN ('JobEnqueued', 'DuplicateSuppressed', 'RetryScheduled', 'JobReleased', 'JobRequeued') AS is_waiting,
    (CASE last.type
      WHEN 'DuplicateSuppressed' THEN last.data->>'dueAfter'
      WHEN 'JobRequeued' THEN NULL
      ELSE last.data->>'notBefore'
    END)::timestamptz AS due,
    (CASE WHEN last.type IN ('JobReleased', 'JobRequeued') THEN last.metadata->>'occurredAt' ELSE born.data->>'enqueuedAt' END)::timestamptz
      AS back
  FROM jobledger.event born
  JOIN (
    SELECT DISTINCT ON (e.stream) e.* FROM jobledger.event e WHERE e.stream LIKE 'job-%' ORDER BY e.stream, e.revision DESC
  ) AS last ON last.stream = born.stream
  WHERE born.revision = 0 AND born.stream LIKE 'job-%'
) AS job`;

const COUNTED = `
SELECT wiki, type,
  count(*) FILTER (WHERE is_waiting AND NOT is_delayed)::integer AS ready,
  count(*) FILTER (WHERE is_waiting AND is_delayed)::integer AS delayed,
  count(*) FILTER (WHERE last IN ('JobClaimed', 'AttemptStarted'))::integer AS claimed,
  count(*) FILTER (WHERE last = 'JobAbandoned')::integer AS abandoned,
  count(*) FILTER (WHERE last = 'AttemptSucceeded')::integer AS succeeded,
  max(seen.failed)::integer AS failed,
  max(seen.suppressed)::integer AS suppressed,
  count(*) FILTER (WHERE last = 'JobSuperseded')::integer AS superseded,
  count(*)::integer AS enqueued,
  max(seen.retried)::integer AS retried,
  count(*) FILTER (WHERE last = 'JobCancelled')::integer AS cancelled,
  to_char(min(coalesce(due, back)) FILTER (WHERE is_waiting AND NOT is_delayed) AT TIME ZONE 'UTC', ${ISO}) AS "oldestReadyAt"
FROM pg_temp.standing
JOIN (
  SELECT e.data->>'wiki' AS wiki, e.data->>'type' AS type,
    count(*) FILTER (WHERE e.type = 'AttemptFailed') AS failed,
    count(*) FILTER (WHERE e.type = 'DuplicateSuppressed') AS suppressed,
    count(*) FILTER (WHERE e.type = 'RetryScheduled') AS retried
  FROM jobledger.event e
  GROUP BY 1, 2
) AS seen USING (wiki, type)
GROUP BY wiki, type
ORDER BY wiki, type`;

const IN_TABLES = `
SELECT wiki, type, sum(ready)::integer AS ready, sum(delayed)::integer AS delayed
FROM (
  SELECT wiki, type, 1 AS ready, 0 AS delayed FROM jobledger.ready_job
  UNION ALL
  SELECT wiki, type, (due <= now())::integer, (due > now())::integer FROM jobledger.delayed_job
) AS row
GROUP BY wiki, type
ORDER BY wiki, type`;

export interface Filled {
  /** What each queue shows, counted over all streams. */
  readonly counted: readonly Readonly<Record<string, unknown>>[];
  /** Ready and delayed of each queue, counted over the rows that picks see. */
  readonly inTables: readonly Readonly<Record<string, unknown>>[];
}

/** On a connection of its own: a ledger's give up what takes long. */
export const fillWithJobs = async (url: string, jobs: number, queues: number): Promise<Filled> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(fill(jobs, queues), [templates()]);
    await client.query(STANDING);
    await client.query(STAND);
    const counted = await client.query<Record<string, unknown>>(COUNTED);
    const inTables = await client.query<Record<string, unknown>>(IN_TABLES);
    return { counted: counted.rows, inTables: inTables.rows };
  } finally {
    await client.end();
  }
};
