/** Where runners come for work: which queues are ready, and a short transaction that holds the rows picked from them. */
import type pg from 'pg';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import type { ClaimDesk, Pick, PickSession, QueueScope } from '../../projections/ports.js';
import { claimsAreOver, markClaim } from './claims-under-way.js';
import { attempt } from './error-mapping.js';
import type { InlineWrites } from './append.js';
import { postgresEventStore } from './event-store.js';
import { isoSql } from './iso.js';
import { postgresJobIndex } from './job-index.js';
import { pickRows } from './pick.js';
import { succeeded } from './outcome.js';
import { queueLimits, type QueueLimits } from './queue-limits.js';
import { readyQueueStatements, type Found } from './ready-queues.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, withClient, type Queryable, type Statement } from './statement.js';
import { inTransaction } from './transaction.js';

// A volatile function by itself is no condition of an index: every delayed row was read each time (174 ms for 200,000, now 0.05).
const PROMOTE = `
WITH due AS (
  DELETE FROM __schema__.delayed_job
  WHERE ctid = ANY (ARRAY(
    SELECT d.ctid FROM __schema__.delayed_job d
    WHERE d.due <= (SELECT clock_timestamp())
    ORDER BY d.due
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING job, wiki, type, class, priority, number, due, revision, since
), promoted AS (
  INSERT INTO __schema__.ready_job (job, wiki, type, class, priority, number, due, revision, since)
  SELECT job, wiki, type, class, priority, number, due, revision, since FROM due
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

const scopeValues = ({ types, wikis }: QueueScope) => [types ?? null, wikis ?? null];

const mayBeLimited = (picks: readonly Pick[]): boolean => picks.some(({ queue }) => queue.mayBeLimited);

const promoteDue = async (db: Queryable, promote: Statement): Promise<void> => {
  let moved = PROMOTION_BATCH;
  while (moved >= PROMOTION_BATCH) moved = Number((await rowsOf(db, promote, []))[0]?.[0] ?? 0);
};

const pickSessions = (schema: SchemaName, inline: InlineWrites, limits: QueueLimits) => {
  const pick = pickRows(schema);
  const dropStale = prepared('drop-stale', inSchema(DROP_STALE, schema));
  return async (client: pg.ClientBase, picks: readonly Pick[]): Promise<PickSession> => {
    const asked = performance.now();
    const held = mayBeLimited(picks) ? await limits.take(client, picks) : undefined;
    const rows = await pick(client, held?.picks ?? picks, held !== undefined);
    return {
      ...rows,
      heldBack: held?.heldBack ?? [],
      isIncomplete: held?.isIncomplete ?? false,
      charge:
        held === undefined || held.rooms.length === 0
          ? undefined
          : (claims) => attempt(() => limits.charge(client, held, claims, rows.now)),
      pickMs: performance.now() - asked,
      store: postgresEventStore(client, { schema, inline, isOwnTransaction: true }),
      index: postgresJobIndex(client, schema),
      dropStale: (jobIds) =>
        attempt(async () => {
          await rowsOf(client, dropStale, [jobIds]);
        }),
    };
  };
};

/** @param catchUpClaims brings `claimed_job` to the end of history */
export const postgresClaimDesk = (
  db: Queryable,
  schema: SchemaName,
  inline: InlineWrites,
  catchUpClaims: TaskEither<StoreError, unknown>,
): ClaimDesk => {
  const limits = queueLimits(schema);
  const statement = (label: string, sql: string): Statement => prepared(label, inSchema(sql, schema));
  const ready = readyQueueStatements(schema);
  const openSession = pickSessions(schema, inline, limits);
  const mark = markClaim(schema);
  const promote = statement('promote', PROMOTE);
  const nextDue = statement('next-due', NEXT_DUE);

  const read = async (scope: QueueScope): Promise<Found> => {
    const found = await ready.read(db, scope);
    if (!found.isSomethingDue) return found;
    await promoteDue(db, promote);
    return ready.read(db, scope);
  };

  return {
    readyQueues: (scope) => attempt(async () => (await read(scope)).queues),
    hasReady: (scope) => attempt(async () => (await read(scope)).isAny),
    longestWait: (queues) => attempt(() => ready.longestWait(db, queues)),
    withPicked: (picks, use) =>
      attempt(() =>
        withClient(db, (client) =>
          inTransaction(client, async () => use(await openSession(client, picks)), { first: mark }),
        ),
      ),
    openLimits: () =>
      attempt(async () => {
        if (!(await claimsAreOver(db, schema))) return;
        await succeeded(catchUpClaims);
        await limits.open(db);
      }),
    nextDue: (scope) =>
      attempt(async () => (await rowsOf(db, nextDue, scopeValues(scope)))[0]?.[0] ?? undefined),
  };
};
