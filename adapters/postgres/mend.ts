/** A grown copy and its live table brought to one position, and the live table corrected where it differs. */
import type pg from 'pg';
import type { Position } from '../../domain/ledger.js';
import type { Projection } from '../../projections/projection.js';
import { parkedPositions, visibleEnd, type HistoryOn } from './audit.js';
import { inPlace } from './checkpoint.js';
import { compareProjection, isEqual, type Comparison, type Places } from './compare.js';
import { foldTogether } from './copy-tables.js';
import { codeOf } from './error-mapping.js';
import { liveTables, mergeProjection } from './merge.js';
import type { ProjectorOptions } from './projector.js';
import { dropShadow } from './shadow.js';
import { rowsOf, withClient } from './statement.js';
import { patience } from './silence.js';
import { inTransaction } from './transaction.js';

export interface RebuildOptions extends ProjectorOptions {
  readonly historyOn: HistoryOn;
}

/** What was wrong with the live table before. `halt`: the history itself stopped it, and the live table is as it was. */
export type RebuildReport =
  | ({ readonly name: string; readonly halt: undefined; readonly position: Position } & Comparison)
  | { readonly name: string; readonly halt: string };

export interface Work extends Places {
  readonly db: pg.Pool;
  readonly projection: Projection;
  readonly options: RebuildOptions;
}

const position = (sql: string) => async (client: pg.ClientBase, values: readonly unknown[]) => {
  const [row] = await rowsOf(client, { text: sql }, values);
  return BigInt(row?.[0] ?? 0);
};

interface Aligned {
  readonly grownTo: Position;
  readonly position: Position;
}

/** The copy taken on inside the caller's transaction, to where the live table stands. */
const alignCopy = async (
  client: pg.ClientBase,
  { projection, live, copy, options }: Work,
  livePosition: Position,
): Promise<Aligned> => {
  const held = position(
    `SELECT c.position::text FROM ${copy.schema}.checkpoint c WHERE c.projection = $1 FOR UPDATE`,
  );
  const after = await held(client, [projection.name]);
  const without = await parkedPositions(client, live, projection.name);
  const stretch = { after, upTo: livePosition, without };
  await foldTogether(client, [{ projection, ...stretch }], copy, options.historyOn(client));
  return { grownTo: after, position: after > livePosition ? after : livePosition };
};

// Written whether it is there or not: so the row is ours until the end, and no projector gets by.
const HOLD = `
INSERT INTO __schema__.checkpoint AS c (projection, position, version) VALUES ($1, 0, $2)
ON CONFLICT (projection) DO UPDATE SET updated_at = clock_timestamp()
RETURNING c.position::text`;

const SETTLE = `
UPDATE __schema__.checkpoint SET position = $2, version = $3, updated_at = clock_timestamp() WHERE projection = $1`;

const FORGET_STOP = 'DELETE FROM __schema__.stopped WHERE projection = $1';
const FORGET_PARKED = 'DELETE FROM __schema__.parked WHERE projection = $1 AND position <= $2';

const takeParked = ({ live, copy }: Places): string => `
INSERT INTO ${live.schema}.parked (projection, position, stream, revision, reason)
SELECT p.projection, p.position, p.stream, p.revision, p.reason FROM ${copy.schema}.parked p WHERE p.projection = $1`;

const mendCatchUp = async (client: pg.ClientBase, work: Work): Promise<RebuildReport> => {
  const { projection, live } = work;
  const { name, version } = projection;
  const livePosition = await position(inPlace(HOLD, live))(client, [name, version]);
  const { grownTo, position: to } = await alignCopy(client, work, livePosition);
  const found = await compareProjection(client, projection, work);
  await mergeProjection(client, projection, work);
  const run = (sql: string, ...values: readonly unknown[]) =>
    rowsOf(client, { text: inPlace(sql, live) }, [name, ...values]);
  await run(SETTLE, to.toString(), version);
  await run(FORGET_STOP);
  await run(FORGET_PARKED, grownTo.toString());
  await run(takeParked(work));
  return { name, halt: undefined, position: to, ...found };
};

const compareInline = async (client: pg.ClientBase, work: Work): Promise<RebuildReport> => {
  const { projection, live } = work;
  const { position: to } = await alignCopy(client, work, await visibleEnd(client, live));
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
const LOCK_TIMEOUT = '500ms';
const LOCK_TRIES = 120;

type Step = (client: pg.ClientBase, work: Work) => Promise<RebuildReport>;

const mended = (work: Work, step: Step): Promise<RebuildReport> =>
  withClient(
    work.db,
    (client) =>
      inTransaction(
        client,
        async () => {
          const report = await step(client, work);
          await dropShadow(client, work.copy, work.projection);
          return report;
        },
        { settings: { lock_timeout: LOCK_TIMEOUT } },
      ),
    patience.rebuild,
  );

const compared = (work: Work): Promise<RebuildReport> =>
  withClient(
    work.db,
    (client) =>
      inTransaction(client, () => compareInline(client, work), {
        mode: 'ISOLATION LEVEL REPEATABLE READ',
        settings: { lock_timeout: LOCK_TIMEOUT },
        keeps: () => false,
      }),
    patience.rebuild,
  );

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

/** The copy is dropped with it. */
export const mend = async (work: Work): Promise<RebuildReport> => {
  if (work.projection.drive === 'catch-up') {
    return untilUnlocked(() => mended(work, mendCatchUp));
  }
  const report = await compared(work);
  if (report.halt === undefined && !isEqual(report)) {
    return untilUnlocked(() => mended(work, mendInline));
  }
  await withClient(work.db, (client) => dropShadow(client, work.copy, work.projection), patience.rebuild);
  return report;
};
