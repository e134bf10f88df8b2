/**
 * What each queue holds and how long its oldest ready job has waited. Counts come from `queue_summary`; which of the waiting are
 * delayed from their due times by the minute, the running minute from `delayed_job` itself; the oldest from the heads of `ready_job`.
 * No part of it depends on how many jobs there are.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { attempt } from '../../adapters/postgres/error-mapping.js';
import { isoSql } from '../../adapters/postgres/iso.js';
import { inSchema } from '../../adapters/postgres/schema-name.js';
import { rowsOf, type Cells } from '../../adapters/postgres/statement.js';
import type { StoreError } from '../../domain/errors.js';
import { millisecondsBetween } from '../../domain/instant.js';
import type { Ledger } from '../ledger.js';

export interface QueueView {
  readonly wiki: string;
  readonly type: string;
  readonly ready: number;
  readonly delayed: number;
  readonly claimed: number;
  readonly abandoned: number;
  readonly succeeded: number;
  /** Attempts that failed; their jobs may have succeeded since. */
  readonly failed: number;
  readonly suppressed: number;
  readonly superseded: number;
  readonly enqueued: number;
  readonly retried: number;
  readonly cancelled: number;
  readonly oldestReadyAt: string | null;
  readonly lagSeconds: number;
}

// A group is (class, type, wiki, priority): one step of the index each. Its first jobs by number are its oldest, but for those that
// came back from a retry; of these the due minutes tell, to the minute where they are many.
const QUEUES = `
WITH RECURSIVE clock AS MATERIALIZED (
  SELECT clock_timestamp() AS now, date_trunc('minute', clock_timestamp(), 'UTC') AS minute
), head AS (
  (SELECT r.class, r.type, r.wiki, r.priority FROM __schema__.ready_job r ORDER BY r.class, r.type, r.wiki, r.priority LIMIT 1)
  UNION ALL
  SELECT next.class, next.type, next.wiki, next.priority
  FROM head
  CROSS JOIN LATERAL (
    SELECT r.class, r.type, r.wiki, r.priority
    FROM __schema__.ready_job r
    WHERE (r.class, r.type, r.wiki, r.priority) > (head.class, head.type, head.wiki, head.priority)
    ORDER BY r.class, r.type, r.wiki, r.priority
    LIMIT 1
  ) AS next
), first_ready AS (
  SELECT head.wiki, head.type, min(coalesce(r.due, CASE
    WHEN last.type IN ('JobReleased', 'JobRequeued') THEN (last.metadata->>'occurredAt')::timestamptz
    ELSE (enqueued.data->>'enqueuedAt')::timestamptz
  END, (SELECT j.job_timestamp FROM __schema__.job j WHERE j.job_uuid = r.job))) AS since
  FROM head
  CROSS JOIN LATERAL (
    SELECT r.job, r.revision, r.due
    FROM __schema__.ready_job r
    WHERE r.class = head.class AND r.wiki = head.wiki AND r.type = head.type AND r.priority = head.priority
    ORDER BY r.number
    LIMIT 8
  ) AS r
  LEFT JOIN __schema__.event last ON r.due IS NULL AND last.stream = 'job-' || r.job AND last.revision = r.revision
  LEFT JOIN __schema__.event enqueued ON r.due IS NULL AND enqueued.stream = 'job-' || r.job AND enqueued.revision = 0
  GROUP BY head.wiki, head.type
), due AS (
  SELECT d.wiki, d.type,
    sum(d.jobs) FILTER (WHERE d.minute > clock.minute) AS delayed,
    min(d.minute) FILTER (WHERE d.minute <= clock.minute AND d.jobs > 0) AS first_minute
  FROM __schema__.queue_due d
  CROSS JOIN clock
  GROUP BY d.wiki, d.type
), this_minute AS (
  SELECT d.wiki, d.type, count(*) AS delayed
  FROM __schema__.delayed_job d
  CROSS JOIN clock
  WHERE d.due > clock.now AND d.due < clock.minute + interval '1 minute'
  GROUP BY d.wiki, d.type
)
SELECT s.wiki, s.type, s.waiting::text, (coalesce(due.delayed, 0) + coalesce(m.delayed, 0))::text,
  s.claimed::text, s.abandoned::text, s.succeeded::text, s.failed::text, s.suppressed::text, s.superseded::text,
  s.enqueued::text, s.retried::text, s.cancelled::text,
  ${isoSql('least(f.since, first_due.since)')},
  ${isoSql('clock.now')}
FROM __schema__.queue_summary s
CROSS JOIN clock
LEFT JOIN due ON due.wiki = s.wiki AND due.type = s.type
LEFT JOIN this_minute m ON m.wiki = s.wiki AND m.type = s.type
LEFT JOIN first_ready f ON f.wiki = s.wiki AND f.type = s.type
LEFT JOIN LATERAL (
  SELECT least(clock.now, coalesce(min(d.due), due.first_minute + interval '1 minute')) AS since
  FROM __schema__.delayed_job d
  WHERE d.due >= due.first_minute AND d.due < due.first_minute + interval '1 minute' AND d.wiki = s.wiki AND d.type = s.type
  HAVING due.first_minute IS NOT NULL
) AS first_due ON true
ORDER BY s.wiki, s.type`;

const viewOf = (cells: Cells): QueueView => {
  const count = (index: number): number => Number(cells[index] ?? 0);
  const [wiki, type] = cells;
  const waiting = Math.max(0, count(2));
  const delayed = Math.min(waiting, Math.max(0, count(3)));
  const ready = waiting - delayed;
  const oldestReadyAt = ready > 0 ? (cells[13] ?? null) : null;
  const age = oldestReadyAt === null ? 0 : millisecondsBetween(oldestReadyAt, cells[14] ?? oldestReadyAt);
  return {
    wiki: wiki ?? '',
    type: type ?? '',
    ready,
    delayed,
    claimed: count(4),
    abandoned: count(5),
    succeeded: count(6),
    failed: count(7),
    suppressed: count(8),
    superseded: count(9),
    enqueued: count(10),
    retried: count(11),
    cancelled: count(12),
    oldestReadyAt,
    lagSeconds: Math.max(0, age) / 1_000,
  };
};

export const queueViews = ({
  pool,
  schema,
}: Pick<Ledger, 'pool' | 'schema'>): TaskEither<StoreError, readonly QueueView[]> =>
  attempt(async () => (await rowsOf(pool, { text: inSchema(QUEUES, schema) }, [])).map(viewOf));
