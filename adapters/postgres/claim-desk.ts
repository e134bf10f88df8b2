/** Where runners come for work: which queues are ready, and a short transaction that holds the rows picked from them. */
import { OF_ITS_QUEUE } from '../../domain/job/facts.js';
import type { ClaimDesk, Pick, PickedJob, QueueScope, ReadyQueue } from '../../projections/ports.js';
import { attempt } from './error-mapping.js';
import type { InlineWrites } from './append.js';
import { postgresEventStore } from './event-store.js';
import { isoSql } from './iso.js';
import { postgresJobIndex } from './job-index.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, withClient, type Queryable, type Statement } from './statement.js';
import { inTransaction } from './transaction.js';

// A loose scan: one step of the index per queue, however many jobs it holds.
const READY_QUEUES = `
WITH RECURSIVE queue AS (
  (SELECT r.class, r.wiki, r.type FROM __schema__.ready_job r ORDER BY r.class, r.wiki, r.type LIMIT 1)
  UNION ALL
  SELECT next.class, next.wiki, next.type
  FROM queue
  CROSS JOIN LATERAL (
    SELECT r.class, r.wiki, r.type
    FROM __schema__.ready_job r
    WHERE (r.class, r.wiki, r.type) > (queue.class, queue.wiki, queue.type)
    ORDER BY r.class, r.wiki, r.type
    LIMIT 1
  ) AS next
)
SELECT queue.class::text, queue.wiki, queue.type
FROM queue
WHERE ($1::text[] IS NULL OR queue.type = ANY ($1))
  AND ($2::text[] IS NULL OR queue.wiki = ANY ($2))
ORDER BY CASE queue.class WHEN ${OF_ITS_QUEUE} THEN 1 ELSE queue.class END, queue.wiki, queue.type`;

// The table alone decides the plan: an index scan in order, stopped at the limit, whatever the statistics say.
const PICK = `
SELECT picked.job::text, picked.revision::text, ${isoSql('clock_timestamp()')}
FROM unnest($1::smallint[], $2::text[], $3::text[], $4::integer[]) WITH ORDINALITY AS asked(class, wiki, type, most, n)
CROSS JOIN LATERAL (
  SELECT r.job, r.revision
  FROM __schema__.ready_job r
  WHERE r.class = asked.class AND r.wiki = asked.wiki AND r.type = asked.type
  ORDER BY r.priority, r.number
  LIMIT asked.most
  FOR UPDATE SKIP LOCKED
) AS picked`;

const PROMOTE = `
WITH due AS (
  DELETE FROM __schema__.delayed_job
  WHERE ctid = ANY (ARRAY(
    SELECT d.ctid FROM __schema__.delayed_job d
    WHERE d.due <= clock_timestamp()
    ORDER BY d.due
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING job, wiki, type, class, priority, number, due, revision
), promoted AS (
  INSERT INTO __schema__.ready_job (job, wiki, type, class, priority, number, due, revision)
  SELECT job, wiki, type, class, priority, number, due, revision FROM due
  RETURNING 1
)
SELECT count(*)::text FROM promoted`;

const NEXT_DUE = `
SELECT ${isoSql('min(d.due)')}
FROM __schema__.delayed_job d
WHERE ($1::text[] IS NULL OR d.type = ANY ($1))
  AND ($2::text[] IS NULL OR d.wiki = ANY ($2))`;

const DROP_STALE = `
WITH stale AS (SELECT unnest($1::uuid[]) AS job),
ready AS (DELETE FROM __schema__.ready_job r USING stale WHERE r.job = stale.job)
DELETE FROM __schema__.delayed_job d USING stale WHERE d.job = stale.job`;

const PROMOTION_BATCH = 1000;

const readQueue = ([rank, wiki, type]: readonly (string | null)[]): ReadyQueue => ({
  class: Number(rank),
  wiki: wiki ?? '',
  type: type ?? '',
});

const scopeValues = ({ types, wikis }: QueueScope) => [types ?? null, wikis ?? null];

const pickValues = (picks: readonly Pick[]) => [
  picks.map(({ queue }) => queue.class),
  picks.map(({ queue }) => queue.wiki),
  picks.map(({ queue }) => queue.type),
  picks.map(({ limit }) => limit),
];

export const postgresClaimDesk = (db: Queryable, schema: SchemaName, inline: InlineWrites): ClaimDesk => {
  const statement = (label: string, sql: string): Statement => prepared(label, inSchema(sql, schema));
  const readyQueues = statement('ready-queues', READY_QUEUES);
  const pick = statement('pick', PICK);
  const promote = statement('promote', PROMOTE);
  const nextDue = statement('next-due', NEXT_DUE);
  const dropStale = statement('drop-stale', DROP_STALE);

  const promoteDue = async (): Promise<void> => {
    let moved = PROMOTION_BATCH;
    while (moved >= PROMOTION_BATCH) moved = Number((await rowsOf(db, promote, []))[0]?.[0] ?? 0);
  };

  return {
    readyQueues: (scope) =>
      attempt(async () => {
        await promoteDue();
        return (await rowsOf(db, readyQueues, scopeValues(scope))).map(readQueue);
      }),
    withPicked: (picks, use) =>
      attempt(() =>
        withClient(db, (client) =>
          inTransaction(client, async () => {
            const rows = await rowsOf(client, pick, pickValues(picks));
            const picked = rows.map(([jobId, revision]): PickedJob => ({
              jobId: jobId ?? '',
              revision: BigInt(revision ?? 0),
            }));
            return use({
              picked,
              now: rows[0]?.[2] ?? '',
              store: postgresEventStore(client, { schema, inline }),
              index: postgresJobIndex(client, schema),
              dropStale: (jobIds) =>
                attempt(async () => {
                  await rowsOf(client, dropStale, [jobIds]);
                }),
            });
          }),
        ),
      ),
    nextDue: (scope) =>
      attempt(async () => (await rowsOf(db, nextDue, scopeValues(scope)))[0]?.[0] ?? undefined),
  };
};
