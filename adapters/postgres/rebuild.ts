/**
 * Rebuilds a projection from the history: a copy grows beside the live table, page by page; then, in one transaction and at one
 * position, the live table is corrected where it differs. It is never empty, and a rebuild that was broken off is resumed.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { rejected, type StoreError } from '../../domain/errors.js';
import type { Position } from '../../domain/ledger.js';
import type { Projection } from '../../projections/projection.js';
import type { HistoryOn } from './audit.js';
import { visibleEnd } from './audit.js';
import { inPlace } from './checkpoint.js';
import { compareProjection, isEqual, type Comparison, type Places } from './compare.js';
import { foldHistory } from './copy-tables.js';
import { attempt, codeOf, StoreFailure } from './error-mapping.js';
import { liveTables, mergeProjection } from './merge.js';
import { succeeded } from './outcome.js';
import { openTracks, runTracks, type ProjectorOptions } from './projector.js';
import type { SchemaName } from './schema-name.js';
import { dropShadow, openShadow, shadowPlace } from './shadow.js';
import { livePlace } from './sink.js';
import { rowsOf, withClient } from './statement.js';

export interface RebuildOptions extends ProjectorOptions {
  readonly historyOn: HistoryOn;
}

/** What was wrong with the live table before. `halt`: the history itself stopped it, and the live table is as it was. */
export type RebuildReport =
  | ({ readonly name: string; readonly halt: undefined; readonly position: Position } & Comparison)
  | { readonly name: string; readonly halt: string };

interface Work extends Places {
  readonly db: pg.Pool;
  readonly projection: Projection;
  readonly options: RebuildOptions;
}

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

const position = (sql: string) => async (client: pg.ClientBase, values: readonly unknown[]) => {
  const [row] = await rowsOf(client, { text: sql }, values);
  return BigInt(row?.[0] ?? 0);
};

/** The copy taken on inside the caller's transaction, to where the live table stands; gives the position of both. */
const alignCopy = async (
  client: pg.ClientBase,
  { projection, copy, options }: Work,
  livePosition: Position,
): Promise<Position> => {
  const held = position(
    `SELECT c.position::text FROM ${copy.schema}.checkpoint c WHERE c.projection = $1 FOR UPDATE`,
  );
  const after = await held(client, [projection.name]);
  const stretch = { after, upTo: livePosition };
  await foldHistory(client, projection, copy, options.historyOn(client), stretch);
  return after > livePosition ? after : livePosition;
};

// Written whether it is there or not: so the row is ours until the end, and no projector gets by.
const HOLD = `
INSERT INTO __schema__.checkpoint AS c (projection, position, version) VALUES ($1, 0, $2)
ON CONFLICT (projection) DO UPDATE SET updated_at = clock_timestamp()
RETURNING c.position::text`;

const SETTLE = `
UPDATE __schema__.checkpoint SET position = $2, version = $3, updated_at = clock_timestamp() WHERE projection = $1`;

const mendCatchUp = async (client: pg.ClientBase, work: Work): Promise<RebuildReport> => {
  const { projection, live, copy } = work;
  const { name, version } = projection;
  const livePosition = await position(inPlace(HOLD, live))(client, [name, version]);
  const to = await alignCopy(client, work, livePosition);
  const found = await compareProjection(client, projection, work);
  await mergeProjection(client, projection, work);
  await rowsOf(client, { text: inPlace(SETTLE, live) }, [name, to.toString(), version]);
  await rowsOf(client, { text: inPlace('DELETE FROM __schema__.stopped WHERE projection = $1', live) }, [
    name,
  ]);
  await rowsOf(client, { text: inPlace('DELETE FROM __schema__.parked WHERE projection = $1', live) }, [
    name,
  ]);
  await rowsOf(
    client,
    {
      text: `INSERT INTO ${live.schema}.parked (projection, position, stream, revision, reason)
SELECT p.projection, p.position, p.stream, p.revision, p.reason FROM ${copy.schema}.parked p WHERE p.projection = $1`,
    },
    [name],
  );
  return { name, halt: undefined, position: to, ...found };
};

const compareInline = async (client: pg.ClientBase, work: Work): Promise<RebuildReport> => {
  const { projection, live } = work;
  const to = await alignCopy(client, work, await visibleEnd(client, live));
  const found = await compareProjection(client, projection, work);
  return { name: projection.name, halt: undefined, position: to, ...found };
};

/** Nothing is appended meanwhile. Tables before history: whoever holds picked rows appends next, and must not meet us there. */
const mendInline = async (client: pg.ClientBase, work: Work): Promise<RebuildReport> => {
  const { projection, live } = work;
  for (const name of liveTables(projection)) {
    await client.query(`LOCK TABLE ${live.schema}.${name} IN EXCLUSIVE MODE`);
  }
  await client.query(`LOCK TABLE ${live.schema}.event IN EXCLUSIVE MODE`);
  const report = await compareInline(client, work);
  await mergeProjection(client, projection, work);
  return report;
};

/** Shorter than the server's deadlock_timeout: when in doubt we give way, and nobody else is sent back. */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '500ms'`;
const LOCK_TRIES = 120;

type Ending = 'COMMIT' | 'ROLLBACK';

const transaction = async (
  work: Work,
  begin: string,
  ending: Ending,
  body: (client: pg.ClientBase, work: Work) => Promise<RebuildReport>,
): Promise<RebuildReport> =>
  withClient(work.db, async (client) => {
    await client.query(begin);
    try {
      await client.query(LOCK_TIMEOUT);
      const report = await body(client, work);
      if (ending === 'COMMIT') await dropShadow(client, work.copy, work.projection);
      await client.query(ending);
      return report;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });

const isLocked = (error: unknown): boolean => codeOf(error) === '55P03';

const untilUnlocked = async (mend: () => Promise<RebuildReport>): Promise<RebuildReport> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await mend();
    } catch (error) {
      if (!isLocked(error) || tries >= LOCK_TRIES) throw error;
    }
  }
};

const mend = async (work: Work): Promise<RebuildReport> => {
  if (work.projection.drive === 'catch-up') {
    return untilUnlocked(() => transaction(work, 'BEGIN', 'COMMIT', mendCatchUp));
  }
  const report = await transaction(work, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'ROLLBACK', compareInline);
  if (report.halt === undefined && !isEqual(report)) {
    return untilUnlocked(() => transaction(work, 'BEGIN', 'COMMIT', mendInline));
  }
  await withClient(work.db, (client) => dropShadow(client, work.copy, work.projection));
  return report;
};

// The session's lock ends with its process, however that ends.
const HOLD_REBUILD = `SELECT pg_try_advisory_lock(27244, hashtext($1))::text`;
const LET_REBUILD_GO = `SELECT pg_advisory_unlock(27244, hashtext($1))`;

const alone = async <A>(db: pg.Pool, key: string, work: (client: pg.ClientBase) => Promise<A>): Promise<A> =>
  withClient(db, async (client) => {
    const [row] = await rowsOf(client, { text: HOLD_REBUILD }, [key]);
    if (row?.[0] !== 'true') {
      throw new StoreFailure(rejected(`${key} is being rebuilt by another process; wait for it or stop it`));
    }
    try {
      return await work(client);
    } finally {
      await client.query(LET_REBUILD_GO, [key]).catch(() => undefined);
    }
  });

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
