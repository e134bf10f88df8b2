/**
 * Limits over all runners: whoever claims under one holds its scope's lock until the claim is committed, sees what is used, and adds to it.
 * What runs is told by the history itself: no report has to give a slot back, and none can be lost.
 */
import type { LimitedClaim, Pick } from '../../projections/ports.js';
import { allot, type Allotment, type Room } from './allotment.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Queryable } from './statement.js';

const IS_LIMITED = `(q.running IS NOT NULL OR q.per_second IS NOT NULL OR q.items_per_second IS NOT NULL)`;

// In the order of their ids, whoever asks: no two can wait for one another.
const HOLD = `
SELECT pg_advisory_xact_lock(27245, hashtext('__schema__' || l.id)), l.id::text
FROM (
  SELECT q.id
  FROM __schema__.queue q
  WHERE ${IS_LIMITED} AND EXISTS (
    SELECT FROM unnest($1::text[], $2::text[]) AS a(wiki, type) WHERE q.wiki IN ('', a.wiki) AND q.type IN ('', a.type)
  )
  ORDER BY q.id
) AS l`;

const LAST_EVENT = `(
  SELECT e.type FROM __schema__.event e WHERE e.stream = 'job-' || s.job ORDER BY e.revision DESC LIMIT 1
)`;

// A statement of its own behind the lock: it sees what the last holder has committed. $1: ids of the scopes.
const ROOM = `
WITH clock AS MATERIALIZED (
  SELECT clock_timestamp() AS now
), scope AS MATERIALIZED (
  SELECT q.id, q.wiki, q.type, q.running, q.per_second, q.items_per_second,
    greatest(1, 1 / q.per_second) AS seconds,
    EXISTS (SELECT FROM __schema__.claim_scope o WHERE o.scope = q.id) AS is_open
  FROM __schema__.queue q
  WHERE q.id = ANY ($1::uuid[]) AND ${IS_LIMITED}
), slot AS MATERIALIZED (
  SELECT s.scope, s.job, ${LAST_EVENT} IN ('JobClaimed', 'AttemptStarted') AS is_held
  FROM __schema__.claim_slot s
  WHERE s.scope = ANY ($1::uuid[])
), given_back AS (
  DELETE FROM __schema__.claim_slot s USING slot
  WHERE NOT slot.is_held AND s.scope = slot.scope AND s.job = slot.job
), pace AS MATERIALIZED (
  SELECT p.scope, p.at, p.jobs, p.items, p.items_paid_at
  FROM __schema__.claim_pace p
  WHERE p.scope = ANY ($1::uuid[])
), past AS (
  DELETE FROM __schema__.claim_pace p USING scope, clock
  WHERE p.scope = scope.id
    AND p.at < clock.now - greatest(1, coalesce(scope.seconds, 1)) * interval '1 second'
    AND coalesce(p.items_paid_at < clock.now - interval '1 second', true)
)
SELECT scope.id::text, scope.wiki, scope.type, scope.is_open::text,
  (scope.running - (SELECT count(*) FROM slot WHERE slot.scope = scope.id AND slot.is_held))::text,
  CASE WHEN scope.per_second IS NOT NULL THEN greatest(1, floor(scope.per_second * scope.seconds)) - recent.jobs END::text,
  (extract(epoch FROM recent.first - clock.now) * 1000 + scope.seconds * 1000)::text,
  (extract(epoch FROM clock.now - paid.at) * scope.items_per_second)::text,
  (extract(epoch FROM paid.at - clock.now) * 1000)::text,
  paid.items_per_job::text,
  scope.items_per_second::text
FROM scope
CROSS JOIN clock
CROSS JOIN LATERAL (
  SELECT coalesce(sum(pace.jobs), 0) AS jobs, min(pace.at) AS first
  FROM pace
  WHERE pace.scope = scope.id AND pace.at > clock.now - scope.seconds * interval '1 second'
) AS recent
CROSS JOIN LATERAL (
  SELECT max(pace.items_paid_at) AS at, sum(pace.items)::float / nullif(sum(pace.jobs), 0) AS items_per_job
  FROM pace
  WHERE pace.scope = scope.id
) AS paid`;

// Jobs count from the time that their claims tell, so that no second of the history shows too many. Credit for what was not used
// reaches back a second.
const CHARGE = `
WITH claimed AS MATERIALIZED (
  SELECT c.scope, c.job, c.items FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) AS c(scope, job, items)
), taken AS (
  INSERT INTO __schema__.claim_slot (scope, job)
  SELECT c.scope, c.job FROM claimed c JOIN __schema__.queue q ON q.id = c.scope WHERE q.running IS NOT NULL
  ON CONFLICT DO NOTHING
)
INSERT INTO __schema__.claim_pace AS p (scope, at, jobs, items, items_paid_at)
SELECT c.scope, $4::timestamptz, count(*), sum(c.items),
  greatest((SELECT max(b.items_paid_at) FROM __schema__.claim_pace b WHERE b.scope = c.scope), clock_timestamp() - interval '1 second')
    + sum(c.items) / q.items_per_second * interval '1 second'
FROM claimed c
JOIN __schema__.queue q ON q.id = c.scope
WHERE q.per_second IS NOT NULL OR q.items_per_second IS NOT NULL
GROUP BY c.scope, q.items_per_second
ON CONFLICT (scope, at) DO UPDATE
SET jobs = p.jobs + excluded.jobs, items = p.items + excluded.items, items_paid_at = excluded.items_paid_at`;

// What is claimed already counts from the beginning.
const OPEN = `
WITH held AS (
  INSERT INTO __schema__.claim_slot (scope, job)
  SELECT q.id, c.job
  FROM __schema__.claimed_job c
  JOIN __schema__.event e ON e.stream = 'job-' || c.job AND e.revision = 0
  JOIN __schema__.queue q ON q.wiki IN ('', e.data->>'wiki') AND q.type IN ('', e.data->>'type')
  WHERE q.running IS NOT NULL AND NOT EXISTS (SELECT FROM __schema__.claim_scope o WHERE o.scope = q.id)
  ON CONFLICT DO NOTHING
)
INSERT INTO __schema__.claim_scope (scope)
SELECT q.id FROM __schema__.queue q WHERE q.running IS NOT NULL
ON CONFLICT DO NOTHING`;

const number = (cell: string | null | undefined): number | undefined =>
  cell === null || cell === undefined ? undefined : Number(cell);

const roomOf = (cells: readonly (string | null)[]): Room => ({
  scope: cells[0] ?? '',
  wiki: cells[1] ?? '',
  type: cells[2] ?? '',
  isOpen: cells[3] === 'true',
  slots: number(cells[4]),
  jobs: number(cells[5]),
  jobsInMs: number(cells[6]),
  items: number(cells[7]),
  itemsInMs: number(cells[8]),
  itemsPerJob: number(cells[9]),
  hasItemLimit: cells[10] !== null,
});

export interface QueueLimits {
  /** Holds the scopes until the end of the transaction. */
  readonly take: (client: Queryable, picks: readonly Pick[]) => Promise<Allotment>;
  readonly charge: (
    client: Queryable,
    allotment: Allotment,
    claims: readonly LimitedClaim[],
    claimedAt: string,
  ) => Promise<void>;
  /** Behind `claimed_job` brought up to date: completes the slots of scopes that are limited since lately. */
  readonly open: (db: Queryable) => Promise<void>;
}

export const queueLimits = (schema: SchemaName): QueueLimits => {
  const hold = prepared('hold-limits', inSchema(HOLD, schema));
  const room = prepared('room', inSchema(ROOM, schema));
  const charge = prepared('charge', inSchema(CHARGE, schema));
  const open = { text: inSchema(OPEN, schema) };
  return {
    take: async (client, picks) => {
      const scopes = await rowsOf(client, hold, [
        picks.map(({ queue }) => queue.wiki),
        picks.map(({ queue }) => queue.type),
      ]);
      const rows = scopes.length === 0 ? [] : await rowsOf(client, room, [scopes.map(([, id]) => id)]);
      return allot(picks, rows.map(roomOf));
    },
    charge: async (client, { rooms }, claims, claimedAt) => {
      const charged = claims.flatMap(({ wiki, type, jobId, items }) =>
        rooms
          .filter((each) => ['', wiki].includes(each.wiki) && ['', type].includes(each.type))
          .map(({ scope }) => ({ scope, jobId, items })),
      );
      if (charged.length === 0) return;
      await rowsOf(client, charge, [
        charged.map(({ scope }) => scope),
        charged.map(({ jobId }) => jobId),
        charged.map(({ items }) => items),
        claimedAt,
      ]);
    },
    open: async (db) => {
      await rowsOf(db, open, []);
    },
  };
};
