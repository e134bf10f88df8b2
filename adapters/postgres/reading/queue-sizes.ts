/**
 * How many jobs of which queue are ready, delayed, claimed and abandoned. Counts come from `queue_summary`; which of the waiting are
 * delayed from their due times by the minute, the running minute from `delayed_job` itself.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { attempt } from '../error-mapping.js';
import type pg from 'pg';
import type { QueueFilter, SizedQueue } from '../../../projections/reading-desk.js';
import { inSchema, type SchemaName } from '../schema-name.js';
import { rowsOf, type Cells } from '../statement.js';
import type { StoreError } from '../../../domain/errors.js';

/** A condition on a row's wiki and type: only what is asked for is read. */
export type OfQueues = (row: string) => string;

export const allQueues: OfQueues = () => 'true';

/** Parts of a WITH: `clock`, `due` (by queue: delayed behind this minute), `this_minute`. */
export const delayedSql = (ofQueues: OfQueues): string => `
clock AS MATERIALIZED (
  SELECT clock_timestamp() AS now, date_trunc('minute', clock_timestamp(), 'UTC') AS minute
), due AS (
  SELECT d.wiki, d.type,
    sum(d.jobs) FILTER (WHERE d.minute > clock.minute) AS delayed
  FROM __schema__.queue_due d
  CROSS JOIN clock
  WHERE ${ofQueues('d')}
  GROUP BY d.wiki, d.type
), this_minute AS (
  SELECT d.wiki, d.type, count(*) AS delayed
  FROM __schema__.delayed_job d
  CROSS JOIN clock
  WHERE d.due > clock.now AND d.due < clock.minute + interval '1 minute' AND ${ofQueues('d')}
    AND EXISTS (SELECT FROM __schema__.queue_due q WHERE q.minute = (SELECT c.minute FROM clock c) AND ${ofQueues('q')})
  GROUP BY d.wiki, d.type
)`;

/** Of a row of `queue_summary` s: jobs that wait, and those of them that are delayed. */
export const WAITING_AND_DELAYED =
  's.waiting::text, (coalesce(due.delayed, 0) + coalesce(m.delayed, 0))::text';

export const WITH_DELAYED = `
LEFT JOIN due ON due.wiki = s.wiki AND due.type = s.type
LEFT JOIN this_minute m ON m.wiki = s.wiki AND m.type = s.type`;

const count = (cell: string | null | undefined): number => Math.max(0, Number(cell ?? 0));

/** The tables of jobs and of due times may differ by what came between their reads. */
export const readyAndDelayed = (waiting: string | null | undefined, late: string | null | undefined) => {
  const delayed = Math.min(count(waiting), count(late));
  return { ready: count(waiting) - delayed, delayed };
};

const sizesSql = (ofQueues: OfQueues): string => `
WITH ${delayedSql(ofQueues)}
SELECT s.wiki, s.type, ${WAITING_AND_DELAYED}, s.claimed::text, s.abandoned::text
FROM __schema__.queue_summary s${WITH_DELAYED}
WHERE ${ofQueues('s')}
ORDER BY s.wiki, s.type`;

const sizedQueue = ([wiki, type, waiting, delayed, claimed, abandoned]: Cells): SizedQueue => ({
  wiki: wiki ?? '',
  type: type ?? '',
  ...readyAndDelayed(waiting, delayed),
  claimed: count(claimed),
  abandoned: count(abandoned),
});

/** Of each queue that ever had a job. */
export const queueSizes = (
  pool: pg.Pool,
  schema: SchemaName,
  filter: QueueFilter,
): TaskEither<StoreError, readonly SizedQueue[]> => {
  const asked = [['wiki', filter.wiki] as const, ['type', filter.type] as const].filter(
    ([, name]) => name !== undefined,
  );
  const ofQueues: OfQueues = (row) =>
    asked.map(([column], n) => `${row}.${column} = $${n + 1}`).join(' AND ') || allQueues(row);
  const statement = { text: inSchema(sizesSql(ofQueues), schema) };
  return attempt(async () =>
    (
      await rowsOf(
        pool,
        statement,
        asked.map(([, name]) => name),
      )
    ).map(sizedQueue),
  );
};
