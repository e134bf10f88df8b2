/**
 * How far each projection has come. A checkpoint moves by compare-and-set in the transaction of the rows it stands for: of two
 * projectors at work only one has any effect, and no crash can part the two.
 */
import type { Position } from '../../domain/ledger.js';
import type { Projection } from '../../projections/projection.js';
import { livePlace, type Place } from './sink.js';
import type { SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Queryable } from './statement.js';

/** An event that a projection could not apply. */
export interface Obstacle {
  readonly position: Position;
  readonly stream: string;
  readonly revision: bigint;
  readonly reason: string;
}

export type Standing =
  | { readonly _tag: 'At'; readonly position: Position; readonly obstacle: Obstacle | undefined }
  /** Nothing is applied until somebody has rebuilt it. */
  | { readonly _tag: 'Refused'; readonly position: Position; readonly reason: string };

export const inPlace = (sql: string, { schema }: Place): string => sql.replaceAll('__schema__', schema);

const standingSql = ({ tables }: Projection): string => `
SELECT c.position::text, c.version::text, s.position::text, s.stream, s.revision::text, s.reason,
  (${['false', ...tables.map(({ name }) => `EXISTS (SELECT FROM __schema__.${name})`)].join(' OR ')})::text
FROM (SELECT $1::text AS projection) p
LEFT JOIN __schema__.checkpoint c ON c.projection = p.projection
LEFT JOIN __schema__.stopped s ON s.projection = p.projection`;

const OPEN = `
INSERT INTO __schema__.checkpoint (projection, position, version) VALUES ($1, 0, $2) ON CONFLICT (projection) DO NOTHING`;

const rebuildHint = (name: string): string => `run "jobledger rebuild ${name}"`;

/** Where the projection stands; undefined where it was never kept. */
export const readCheckpoint = async (
  db: Queryable,
  place: Place,
  projection: Projection,
): Promise<Standing | undefined> => {
  const { name, version } = projection;
  const [row = []] = await rowsOf(db, { text: inPlace(standingSql(projection), place) }, [name]);
  const [position, stored, at, stream, revision, reason, hasRows] = row;
  if (position === null || position === undefined) {
    if (hasRows !== 'true') return undefined;
    const missing = `${name} has rows but no checkpoint, so nobody can say what they hold: ${rebuildHint(name)}`;
    return { _tag: 'Refused', position: 0n, reason: missing };
  }
  if (Number(stored) !== version) {
    const other = `${name} was kept by version ${stored} of its projection, this is version ${version}: ${rebuildHint(name)}`;
    return { _tag: 'Refused', position: BigInt(position), reason: other };
  }
  const obstacle =
    at === null || at === undefined
      ? undefined
      : { position: BigInt(at), stream: stream ?? '', revision: BigInt(revision ?? 0), reason: reason ?? '' };
  return { _tag: 'At', position: BigInt(position), obstacle };
};

/** The same; one that was never kept begins at 0. */
export const openCheckpoint = async (
  db: Queryable,
  place: Place,
  projection: Projection,
): Promise<Standing> => {
  const standing = await readCheckpoint(db, place, projection);
  if (standing !== undefined) return standing;
  await rowsOf(db, { text: inPlace(OPEN, place) }, [projection.name, projection.version]);
  return openCheckpoint(db, place, projection);
};

export const stoppedAt = (name: string, { position, stream, revision, reason }: Obstacle): string =>
  `${name} stopped at position ${position} (stream ${stream}, revision ${revision}): ${reason}`;

/** Why the projection does not move; undefined where it does. */
export const haltOf = (name: string, standing: Standing | undefined): string | undefined => {
  if (standing?._tag === 'Refused') return standing.reason;
  return standing?.obstacle === undefined ? undefined : stoppedAt(name, standing.obstacle);
};

// Rows and checkpoint are lost together or not at all, so that nobody has to wait for the disk: what is lost is done again.
export const UNHURRIED = { synchronous_commit: 'off' };

const MOVE = `
WITH cleared AS (DELETE FROM __schema__.stopped WHERE projection = $1)
UPDATE __schema__.checkpoint SET position = $3, updated_at = clock_timestamp()
WHERE projection = $1 AND position = $2 AND version = $4
RETURNING projection`;

/** False where the checkpoint does not stand at `from`: somebody else has moved it, and this transaction must not go on. */
export const moveCheckpoint = async (
  client: Queryable,
  place: Place,
  { name, version }: Projection,
  { from, to }: { readonly from: Position; readonly to: Position },
): Promise<boolean> => {
  const values = [name, from.toString(), to.toString(), version];
  return (await rowsOf(client, prepared('move', inPlace(MOVE, place)), values)).length > 0;
};

const STOP = `
INSERT INTO __schema__.stopped (projection, position, stream, revision, reason)
SELECT $1, $2::bigint, $3, $4::bigint, $5
FROM __schema__.checkpoint c
WHERE c.projection = $1 AND c.position < $2::bigint
ON CONFLICT (projection) DO UPDATE
SET position = excluded.position, stream = excluded.stream, revision = excluded.revision, reason = excluded.reason`;

const PARK = `
INSERT INTO __schema__.parked (projection, position, stream, revision, reason) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (projection, position) DO UPDATE SET reason = excluded.reason, parked_at = clock_timestamp()`;

const note = (sql: string) => async (client: Queryable, place: Place, name: string, obstacle: Obstacle) => {
  const { position, stream, revision, reason } = obstacle;
  await rowsOf(client, { text: inPlace(sql, place) }, [
    name,
    position.toString(),
    stream,
    revision.toString(),
    reason,
  ]);
};

export const noteStopped = note(STOP);
export const noteParked = note(PARK);

const PARKED = `SELECT count(*)::text FROM __schema__.parked WHERE projection = $1`;

export const countParked = async (db: Queryable, schema: SchemaName, name: string): Promise<number> => {
  const [row] = await rowsOf(db, { text: inPlace(PARKED, livePlace(schema)) }, [name]);
  return Number(row?.[0] ?? 0);
};
