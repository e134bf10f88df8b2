/** Rows of `ready_job` that a runner is about to claim from a history elsewhere: for a moment nobody else tries them. */
import type pg from 'pg';
import type { PickedJob } from '../../projections/ports.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Queryable } from './statement.js';

/** What a runner that dies in between costs its rows. While a claim is under way they are reserved again, well before that. */
const RESERVED_MS = 5_000;
const EXTEND_EVERY_MS = 1_500;
const FORGET_EVERY_MS = 10_000;

const RESERVE = `
INSERT INTO __schema__.reservation AS v (job, revision, until)
SELECT p.job, p.revision, clock_timestamp() + $3::integer * interval '1 millisecond'
FROM unnest($1::uuid[], $2::bigint[]) AS p (job, revision)
ORDER BY p.job
ON CONFLICT (job) DO UPDATE SET revision = excluded.revision, until = excluded.until
WHERE v.revision <> excluded.revision OR v.until <= clock_timestamp()
RETURNING v.job::text`;

const EXTEND = `
UPDATE __schema__.reservation v
SET until = greatest(v.until, clock_timestamp() + $3::integer * interval '1 millisecond')
FROM unnest($1::uuid[], $2::bigint[]) AS p (job, revision)
WHERE v.job = p.job AND v.revision = p.revision`;

// What a stream has left behind is never to be claimed again, however long its row still stands; the rest is free for the next pick.
const SETTLE = `
WITH past AS (
  INSERT INTO __schema__.reservation AS v (job, revision, until)
  SELECT p.job, p.revision, clock_timestamp() + interval '10 minutes'
  FROM unnest($1::uuid[], $2::bigint[]) AS p (job, revision)
  ORDER BY p.job
  ON CONFLICT (job) DO UPDATE SET revision = excluded.revision, until = excluded.until
)
DELETE FROM __schema__.reservation WHERE job = ANY ($3::uuid[])`;

const FORGET = `
DELETE FROM __schema__.reservation v
WHERE NOT EXISTS (SELECT FROM __schema__.ready_job r WHERE r.job = v.job AND r.revision = v.revision)`;

/** What has become of rows that were reserved. */
export interface Settlement {
  /** Jobs whose streams have gone on, and the revision that their rows show. */
  readonly past: ReadonlyMap<string, bigint>;
  readonly open: readonly string[];
}

export interface Reservations {
  /** Those of the rows that nobody else has reserved. */
  readonly take: (client: Queryable, rows: readonly PickedJob[]) => Promise<ReadonlySet<string>>;
  /** Keeps them reserved for as long as the claim takes. */
  readonly during: <A>(rows: readonly PickedJob[], claim: () => Promise<A>) => Promise<A>;
  readonly settle: (settlement: Settlement) => Promise<void>;
  /** Forgets, now and then, those whose rows are gone. */
  readonly tidy: () => Promise<void>;
}

const columnsOf = (rows: readonly PickedJob[]): readonly (readonly string[])[] => [
  rows.map(({ jobId }) => jobId),
  rows.map(({ revision }) => revision.toString()),
];

export const openReservations = (pool: pg.Pool, schema: SchemaName): Reservations => {
  const reserve = prepared('reserve', inSchema(RESERVE, schema));
  const extend = prepared('extend-reserved', inSchema(EXTEND, schema));
  const settle = prepared('settle-reserved', inSchema(SETTLE, schema));
  const forget = prepared('forget', inSchema(FORGET, schema));
  let forgottenAt = performance.now();

  return {
    take: async (client, rows) => {
      const own = await rowsOf(client, reserve, [...columnsOf(rows), RESERVED_MS]);
      return new Set(own.map(([job]) => job ?? ''));
    },
    during: async (rows, claim) => {
      if (rows.length === 0) return claim();
      const timer = setInterval(() => {
        // Where it fails the reservations run out, and that is all.
        rowsOf(pool, extend, [...columnsOf(rows), RESERVED_MS]).catch(() => undefined);
      }, EXTEND_EVERY_MS);
      try {
        return await claim();
      } finally {
        clearInterval(timer);
      }
    },
    settle: async ({ past, open }) => {
      await rowsOf(pool, settle, [[...past.keys()], [...past.values()].map(String), open]);
    },
    tidy: async () => {
      if (performance.now() - forgottenAt < FORGET_EVERY_MS) return;
      forgottenAt = performance.now();
      await rowsOf(pool, forget, []);
    },
  };
};
