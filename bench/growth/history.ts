/** History of jobs that are long done, by the million: copies of the stream of a job that was really worked off, by SQL. */
import type { GrowingLedger } from './ledger.js';

const EVENTS_A_JOB = 4;
const JOBS_A_STATEMENT = 50_000;

/**
 * Ids are ordered by time as real ones are, and older than any of them; the numbers are far from those that new jobs get. The id of the
 * event that begins the attempt is part of the task's.
 */
const COPIES = `
WITH model AS (
  SELECT e.* FROM jobledger.event e
  WHERE e.stream = (SELECT s.stream FROM jobledger.event s WHERE s.type = 'AttemptSucceeded' ORDER BY s.position LIMIT 1)
),
known AS (
  SELECT max(m.data->>'number') FILTER (WHERE m.type = 'JobEnqueued') AS number,
    max(m.id::text) FILTER (WHERE m.type = 'AttemptStarted') AS start,
    max(m.revision) FILTER (WHERE m.type = 'AttemptStarted') AS start_revision
  FROM model m
)
INSERT INTO jobledger.event (stream, revision, id, type, data, metadata)
SELECT
  'job-' || ids.beginning || '0000' || ids.ending,
  m.revision,
  (ids.beginning || lpad((m.revision + 1)::text, 4, '0') || ids.ending)::uuid,
  m.type,
  replace(
    replace(m.data::text, known.start, ids.beginning || lpad((known.start_revision + 1)::text, 4, '0') || ids.ending),
    '"number":"' || known.number || '"',
    '"number":"' || (1000000000 + n) || '"'
  )::json,
  m.metadata
FROM generate_series($1::bigint, $2::bigint) AS n
CROSS JOIN LATERAL (
  SELECT '01' || lpad(to_hex(n), 6, '0') || '-' AS beginning, '-7000-8000-' || lpad(to_hex(n), 12, '0') AS ending
) AS ids
CROSS JOIN model m
CROSS JOIN known
ORDER BY n, m.revision`;

/** Takes a job through first. No table but `event` has anything of the copies. */
export const fillHistory = async (
  ledger: GrowingLedger,
  events: number,
  report: (line: string) => void,
): Promise<void> => {
  await ledger.drain({ jobs: 1 });
  const jobs = Math.ceil(events / EVENTS_A_JOB);
  for (let from = 1; from <= jobs; from += JOBS_A_STATEMENT) {
    const to = Math.min(jobs, from + JOBS_A_STATEMENT - 1);
    await ledger.client.query(COPIES, [from, to]);
    report(`history: ${(to * EVENTS_A_JOB).toLocaleString('en-US')} events`);
  }
  await ledger.client.query('VACUUM ANALYZE jobledger.event');
};
