/** The pick: rows of `ready_job` locked for the caller's transaction, in each queue's order. */
import type { QueueOrder } from '../../domain/queue/settings.js';
import type { Pick, PlacedJob } from '../../projections/ports.js';
import { isoSql } from './iso.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Queryable, type Statement } from './statement.js';

// A queue that was paused, or limited without the caller's knowing, since it was last looked at gives nothing.
const ASKED = `
WITH asked AS MATERIALIZED (
  SELECT a.n, a.class, a.type, a.wiki, a.most, a.priority, a.number
  FROM unnest($1::integer[], $2::smallint[], $3::text[], $4::text[], $5::integer[], $6::integer[], $7::bigint[], $8::boolean[])
    AS a(n, class, type, wiki, most, priority, number, within_limits)
  WHERE NOT EXISTS (
    SELECT FROM __schema__.queue_pause p WHERE p.wiki IN ('', a.wiki) AND p.type IN ('', a.type)
  ) AND (a.within_limits OR NOT EXISTS (
    SELECT FROM __schema__.queue q
    WHERE q.wiki IN ('', a.wiki) AND q.type IN ('', a.type)
      AND (q.running IS NOT NULL OR q.per_second IS NOT NULL OR q.items_per_second IS NOT NULL)
  ))
)
SELECT asked.n::text, picked.job::text, picked.revision::text, picked.priority::text, picked.number::text,
  picked.place::text, ${isoSql('clock_timestamp()')}
FROM asked`;

/** Which rows of the queue asked for may be picked. */
type OfQueue = (row: string) => string;

const anyOfQueue: OfQueue = (row) =>
  `${row}.class = asked.class AND ${row}.type = asked.type AND ${row}.wiki = asked.wiki`;

/** Where rows are reserved instead of locked (reserving-desk.ts). */
const unreservedOfQueue: OfQueue = (row) => `${anyOfQueue(row)} AND NOT EXISTS (
    SELECT FROM __schema__.reservation v
    WHERE v.job = ${row}.job AND v.revision = ${row}.revision AND v.until > clock_timestamp()
  )`;

// The table alone decides the plan: an index scan in order, stopped at the limit, whatever the statistics say.
const fifo = (ofQueue: OfQueue): string => `${ASKED}
CROSS JOIN LATERAL (
  SELECT r.job, r.revision, r.priority, r.number, 0 AS place
  FROM __schema__.ready_job r
  WHERE ${ofQueue('r')} AND (r.priority, r.number) >= (asked.priority, asked.number)
  ORDER BY r.priority, r.number
  LIMIT asked.most
  FOR UPDATE SKIP LOCKED
) AS picked`;

/** Rows beyond those asked for, since others may hold the first ones. */
const SPARE = 50;

// Candidates in their order, with what makes it among those of one priority; then the rows themselves by their keys.
const ofCandidates = (candidates: string): string => `${ASKED}
CROSS JOIN LATERAL (
  SELECT r.job, r.revision, r.priority, r.number, c.place
  FROM ROWS FROM (unnest(ARRAY(${candidates})) AS (job uuid, place double precision)) WITH ORDINALITY AS c(job, place, n)
  JOIN __schema__.ready_job r ON r.job = c.job
  ORDER BY c.n
  LIMIT asked.most
  FOR UPDATE OF r SKIP LOCKED
) AS picked`;

// What was never delayed became ready in the order of its numbers, what has a due time then: two ordered scans, merged.
const byTimestamp = (ofQueue: OfQueue): string =>
  ofCandidates(`
  SELECT ROW(either.job, extract(epoch FROM either.since)::double precision)
  FROM (
    (SELECT r.job, r.priority, r.since
    FROM __schema__.ready_job r
    WHERE ${ofQueue('r')} AND r.due IS NULL
    ORDER BY r.priority, r.number
    LIMIT asked.most + ${SPARE})
    UNION ALL
    (SELECT r.job, r.priority, r.due
    FROM __schema__.ready_job r
    WHERE ${ofQueue('r')} AND r.due IS NOT NULL
    ORDER BY r.priority, r.due
    LIMIT asked.most + ${SPARE})
  ) AS either
  ORDER BY either.priority, either.since`);

/** Places that a random pick begins at: one for each job, up to so many. */
const STARTS = 16;

// Between the first and the last number of the smallest priority; what stands behind the place that was drawn is taken.
const atRandom = (ofQueue: OfQueue): string =>
  ofCandidates(`
  SELECT ROW(once.job, random())
  FROM (
    SELECT DISTINCT r.job
    FROM (
      SELECT h.priority, h.number AS first, (
        SELECT l.number FROM __schema__.ready_job l
        WHERE ${ofQueue('l')} AND l.priority = h.priority
        ORDER BY l.number DESC
        LIMIT 1
      ) AS last
      FROM __schema__.ready_job h
      WHERE ${ofQueue('h')}
      ORDER BY h.priority, h.number
      LIMIT 1
    ) AS head
    CROSS JOIN LATERAL (
      SELECT head.first + floor(random() * (head.last - head.first + 1))::bigint AS number
      FROM generate_series(1, least(asked.most, ${STARTS}) * 2)
    ) AS start
    CROSS JOIN LATERAL (
      SELECT s.job
      FROM __schema__.ready_job s
      WHERE ${ofQueue('s')} AND s.priority = head.priority AND s.number >= start.number
      ORDER BY s.number
      LIMIT asked.most / ${STARTS} + 1
    ) AS r
  ) AS once
  ORDER BY random()`);

const STATEMENTS: Readonly<Record<QueueOrder, (ofQueue: OfQueue) => string>> = {
  fifo,
  timestamp: byTimestamp,
  random: atRandom,
};

export interface PickedRows {
  /** In the order of the picks, and of each queue. */
  readonly picked: readonly PlacedJob[];
  /** ISO-8601 UTC; empty where nothing was picked. */
  readonly now: string;
}

const LEAST_PRIORITY = -2_147_483_648;
const LEAST_NUMBER = -(2n ** 63n);

interface Asked {
  /** Index of the pick. */
  readonly n: number;
  readonly place: number;
  readonly pick: Pick;
}

const parameters = (asked: readonly Asked[], areWithinLimits: boolean): readonly unknown[] => [
  asked.map(({ n }) => n),
  asked.map(({ place }) => place),
  asked.map(({ pick }) => pick.queue.type),
  asked.map(({ pick }) => pick.queue.wiki),
  asked.map(({ pick }) => pick.limit),
  asked.map(({ pick }) => pick.from?.priority ?? LEAST_PRIORITY),
  asked.map(({ pick }) => (pick.from?.number ?? LEAST_NUMBER).toString()),
  asked.map(() => areWithinLimits),
];

interface OrderedJob extends PlacedJob {
  /** Among jobs of one priority, before their numbers. */
  readonly place: number;
}

const before = (one: OrderedJob, other: OrderedJob): number =>
  one.priority - other.priority || one.place - other.place || (one.number < other.number ? -1 : 1);

/** Rows of two places of one queue in one order, no more than were asked for. */
const merged = (picks: readonly Pick[], rows: readonly OrderedJob[]): readonly PlacedJob[] => {
  const byPick = new Map<number, OrderedJob[]>();
  for (const row of rows) {
    const others = byPick.get(row.pick);
    if (others === undefined) byPick.set(row.pick, [row]);
    else others.push(row);
  }
  return picks.flatMap(({ queue, limit }, n) => {
    const own = byPick.get(n) ?? [];
    return queue.places.length > 1 ? own.toSorted(before).slice(0, limit) : own;
  });
};

export type PickRows = (
  client: Queryable,
  picks: readonly Pick[],
  areWithinLimits: boolean,
) => Promise<PickedRows>;

export const pickRows = (schema: SchemaName, rows: 'all' | 'unreserved' = 'all'): PickRows => {
  const ofQueue = rows === 'all' ? anyOfQueue : unreservedOfQueue;
  const statementOf = (order: QueueOrder): Statement =>
    prepared(`pick-${order}`, inSchema(STATEMENTS[order](ofQueue), schema));
  const statements = {
    fifo: statementOf('fifo'),
    timestamp: statementOf('timestamp'),
    random: statementOf('random'),
  };
  return async (client, picks, areWithinLimits) => {
    const asked = picks.flatMap((pick, n) =>
      pick.limit > 0 ? pick.queue.places.map((place): Asked => ({ n, place, pick })) : [],
    );
    const found: OrderedJob[] = [];
    let now = '';
    for (const order of new Set(asked.map(({ pick }) => pick.queue.order))) {
      const alike = asked.filter(({ pick }) => pick.queue.order === order);
      for (const [n, jobId, revision, priority, number, place, at] of await rowsOf(
        client,
        statements[order],
        parameters(alike, areWithinLimits),
      )) {
        now = at ?? now;
        found.push({
          pick: Number(n),
          jobId: jobId ?? '',
          revision: BigInt(revision ?? 0),
          priority: Number(priority),
          number: BigInt(number ?? 0),
          place: place === null ? Infinity : Number(place),
        });
      }
    }
    return { picked: merged(picks, found), now };
  };
};
