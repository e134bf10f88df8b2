/** Drops rows of inline tables that can never matter again, a few at a time: none that `audit` would miss (canonical.ts). */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import type { StoreError } from '../../domain/errors.js';
import { isOutrunRoot } from './canonical.js';
import { attempt } from './error-mapping.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { patience } from './silence.js';
import { rowsOf, withClient } from './statement.js';

const BATCH = 1_000;

const walk = (table: string, irrelevant: string): string => `
WITH page AS (
  SELECT t.job FROM __schema__.${table} t
  WHERE $1::uuid IS NULL OR t.job > $1
  ORDER BY t.job
  LIMIT ${BATCH}
), gone AS (
  DELETE FROM __schema__.${table} WHERE job = ANY (ARRAY(
    SELECT t.job FROM page JOIN __schema__.${table} t ON t.job = page.job
    WHERE ${irrelevant}
    FOR UPDATE OF t SKIP LOCKED
  ))
  RETURNING job
)
SELECT (SELECT max(job::text) FROM page), (SELECT count(*) FROM page)::text, (SELECT count(*) FROM gone)::text`;

const OUTRUN_ROOTS = walk(
  'root_job',
  isOutrunRoot(
    't',
    `(SELECT max(n.timestamp) FROM __schema__.root_job n
      WHERE n.wiki = t.wiki AND n.type = t.type AND n.signature = t.signature AND n.state = 'succeeded')`,
  ),
);

/**
 * A success matters to equal jobs enqueued before it began: those that wait, and those that are held and may be given back. The `job`
 * table knows both, as far as its checkpoint; a success behind that is kept. What is enqueued later has a later position.
 */
const SETTLED_DUPLICATES = walk(
  'duplicate',
  `t.begun_revision IS NOT NULL
    AND (SELECT e.position FROM __schema__.event e WHERE e.stream = 'job-' || t.job AND e.revision = t.begun_revision)
      <= (SELECT c.position FROM __schema__.checkpoint c WHERE c.projection = 'job')
    AND NOT EXISTS (
      SELECT FROM __schema__.job j
      JOIN __schema__.event e ON e.stream = 'job-' || j.job_uuid AND e.revision = 0
      WHERE j.job_sha1 = t.sha1 AND j.job_wiki = t.wiki AND j.job_cmd = t.type AND j.job_state <> 'Abandoned'
        AND e.position < (
          SELECT b.position FROM __schema__.event b WHERE b.stream = 'job-' || t.job AND b.revision = t.begun_revision
        )
    )`,
);

const walkThrough = async (db: pg.Pool, text: string): Promise<number> => {
  let [after, dropped]: [string | null, number] = [null, 0];
  for (;;) {
    const [row = []]: readonly (readonly (string | null)[])[] = await withClient(
      db,
      (client) => rowsOf(client, { text }, [after]),
      patience.page,
    );
    dropped += Number(row[2] ?? 0);
    if (Number(row[1] ?? 0) < BATCH) return dropped;
    after = row[0] ?? null;
  }
};

export interface Housekeeping {
  readonly duplicates: number;
  readonly roots: number;
}

export const housekeeping = (db: pg.Pool, schema: SchemaName): TaskEither<StoreError, Housekeeping> =>
  attempt(async () => ({
    duplicates: await walkThrough(db, inSchema(SETTLED_DUPLICATES, schema)),
    roots: await walkThrough(db, inSchema(OUTRUN_ROOTS, schema)),
  }));
