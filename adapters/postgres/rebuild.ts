/**
 * Rebuilds a projection from the history: a copy grows beside the live table, page by page; then, in one transaction and at one
 * position, the live table is corrected where it differs. It is never empty, and a rebuild that was broken off is resumed.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { rejected, type StoreError } from '../../domain/errors.js';
import type { Projection } from '../../projections/projection.js';
import { attempt, StoreFailure } from './error-mapping.js';
import { mend, type RebuildOptions, type RebuildReport, type Work } from './mend.js';
import { succeeded } from './outcome.js';
import { openTracks, runTracks } from './projector.js';
import type { SchemaName } from './schema-name.js';
import { openShadow, shadowPlace } from './shadow.js';
import { patience } from './silence.js';
import { livePlace } from './sink.js';
import { rowsOf, withClient } from './statement.js';

/** Rounds of catching up: each leaves less to be done while the live table is held. */
const ROUNDS = 3;

const grow = async ({ db, projection, copy, options }: Work): Promise<string | undefined> => {
  // Inline tables take no notice of events that cannot be read, nor does their copy.
  const parks = projection.drive === 'inline' ? [projection.name] : (options.parks ?? []);
  const tracks = await openTracks(db, copy, [projection], { ...options, parks });
  for (let round = 0; round < ROUNDS; round += 1) {
    await runTracks(db, options, tracks, await succeeded(options.store.end()));
  }
  return tracks[0]?.halt;
};

// The session's lock ends with its process, however that ends.
const HOLD_REBUILD = `SELECT pg_try_advisory_lock(27244, hashtext($1))::text`;
const LET_REBUILD_GO = `SELECT pg_advisory_unlock(27244, hashtext($1))`;

const alone = async <A>(db: pg.Pool, key: string, work: (client: pg.ClientBase) => Promise<A>): Promise<A> =>
  withClient(
    db,
    async (client) => {
      const [row] = await rowsOf(client, { text: HOLD_REBUILD }, [key]);
      if (row?.[0] !== 'true') {
        throw new StoreFailure(
          rejected(`${key} is being rebuilt by another process; wait for it or stop it`),
        );
      }
      try {
        return await work(client);
      } finally {
        await client.query(LET_REBUILD_GO, [key]).catch(() => undefined);
      }
    },
    patience.rebuild,
  );

export const rebuild = (
  db: pg.Pool,
  schema: SchemaName,
  projection: Projection,
  options: RebuildOptions,
): TaskEither<StoreError, RebuildReport> =>
  attempt(() =>
    alone(db, `${schema}.${projection.name}`, async (client) => {
      const work = { db, projection, options, live: livePlace(schema), copy: shadowPlace(schema) };
      await openShadow(client, work.copy, work.live, projection);
      const halt = await grow(work);
      return halt === undefined ? mend(work) : { name: projection.name, halt };
    }),
  );

export type { RebuildOptions, RebuildReport };
