/** `runner_presence`: one row a runner, renewed in place. A row marked lost is never renewed again. */
import type { ClaimWatch, RunnerPresence } from '../../projections/ports.js';
import { attempt } from './error-mapping.js';
import { isoSql } from './iso.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { patience } from './silence.js';
import { prepared, rowsOf, withClient, type Queryable } from './statement.js';

const ARRIVE = `
INSERT INTO __schema__.runner_presence (runner, host, renewed_until, clock_offset_ms)
VALUES ($1, $2, clock_timestamp() + $3::integer * interval '1 millisecond', $4::bigint)
ON CONFLICT (runner) DO NOTHING`;

const RENEW = `
UPDATE __schema__.runner_presence
SET renewed_until = clock_timestamp() + $2::integer * interval '1 millisecond',
  clock_offset_ms = coalesce($3::bigint, clock_offset_ms)
WHERE runner = $1 AND NOT lost
RETURNING runner`;

const LEAVE = `DELETE FROM __schema__.runner_presence WHERE runner = $1`;

// Parts of one statement see one snapshot: a row that is forgotten here is still counted this once.
const MARK_LOST = `
WITH marked AS (
  UPDATE __schema__.runner_presence
  SET lost = true
  WHERE NOT lost AND renewed_until < clock_timestamp()
  RETURNING runner
), forgotten AS (
  DELETE FROM __schema__.runner_presence p
  WHERE p.lost
    AND p.renewed_until < clock_timestamp() - interval '1 minute'
    AND NOT EXISTS (SELECT FROM __schema__.claimed_job c WHERE c.runner = p.runner)
)
SELECT m.runner, NULL FROM marked m
UNION ALL
SELECT NULL, 'before' WHERE EXISTS (SELECT FROM __schema__.runner_presence p WHERE p.lost)`;

// Pages by key to the end: rows that are exempt never hide those behind them.
const EXPIRED = `
SELECT c.job::text, c.token, ${isoSql('p.renewed_until')}
FROM __schema__.claimed_job c
LEFT JOIN __schema__.runner_presence p ON p.runner = c.runner
WHERE c.lease_expires < clock_timestamp()
  AND (p.runner IS NULL OR p.lost)
  AND ($1::uuid IS NULL OR c.job > $1)
ORDER BY c.job
LIMIT $2::integer`;

const OTHERS_MAY_HOLD = `
SELECT (EXISTS (SELECT FROM __schema__.runner_presence p WHERE p.runner <> $1)
  OR EXISTS (SELECT FROM __schema__.claimed_job c WHERE c.runner <> $1))::text`;

const LEAST_PATIENCE_MS = 1_000;

/** Silence is noticed while there is still time to renew on another connection. */
const renewalPatience = (leaseMs: number): number =>
  Math.min(patience.usual, Math.max(LEAST_PATIENCE_MS, leaseMs / 3));

export const postgresRunnerPresence = (db: Queryable, schema: SchemaName): RunnerPresence => {
  const statement = (label: string, sql: string) => prepared(label, inSchema(sql, schema));
  const arrive = statement('arrive', ARRIVE);
  const renew = statement('renew', RENEW);
  const leave = statement('leave', LEAVE);
  const markLost = statement('mark-lost', MARK_LOST);
  return {
    arrive: ({ id, host, leaseMs, clockOffsetMs }) =>
      attempt(async () => {
        await rowsOf(db, arrive, [id, host, leaseMs, clockOffsetMs ?? null]);
      }),
    renew: (runnerId, leaseMs, clockOffsetMs) =>
      attempt(async () => {
        const rows = await withClient(
          db,
          (client) => rowsOf(client, renew, [runnerId, leaseMs, clockOffsetMs ?? null]),
          renewalPatience(leaseMs),
        );
        return rows.length > 0;
      }),
    leave: (runnerId) =>
      attempt(async () => {
        await rowsOf(db, leave, [runnerId]);
      }),
    markLost: () =>
      attempt(async () => {
        const rows = await rowsOf(db, markLost, []);
        return { newly: rows.flatMap(([runner]) => (runner ? [runner] : [])), isAny: rows.length > 0 };
      }),
  };
};

export const postgresClaimWatch = (db: Queryable, schema: SchemaName): ClaimWatch => {
  const expired = prepared('expired', inSchema(EXPIRED, schema));
  const othersMayHold = prepared('others-may-hold', inSchema(OTHERS_MAY_HOLD, schema));
  const clock = prepared('clock', `SELECT ${isoSql('clock_timestamp()')}`);
  return {
    expired: (after, limit) =>
      attempt(async () => {
        const rows = await rowsOf(db, expired, [after ?? null, limit]);
        const now = (await rowsOf(db, clock, []))[0]?.[0] ?? '';
        const claims = rows.map(([jobId, token, renewedUntil]) => ({
          jobId: jobId ?? '',
          token: token ?? '',
          renewedUntil: renewedUntil ?? undefined,
        }));
        return { now, claims };
      }),
    othersMayHold: (runnerId) =>
      attempt(async () => (await rowsOf(db, othersMayHold, [runnerId]))[0]?.[0] === 'true'),
  };
};
