/**
 * Folds the history once more and compares: a catch-up table as of its checkpoint, an inline one as of now, each in one snapshot
 * together with the history it is compared with.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { rejected, type StoreError } from '../../domain/errors.js';
import type { Position } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import type { Projection } from '../../projections/projection.js';
import { inPlace, readCheckpoint, type Obstacle } from './checkpoint.js';
import { compareProjection, isEqual, type Comparison } from './compare.js';
import { createCopies, foldHistory, temporaryPlace } from './copy-tables.js';
import { attempt, StoreFailure } from './error-mapping.js';
import type { SchemaName } from './schema-name.js';
import { livePlace, type Place } from './sink.js';
import { rowsOf, withClient } from './statement.js';
import { patience } from './silence.js';
import { inTransaction } from './transaction.js';

/** The history as a client sees it inside its transaction. */
export type HistoryOn = (client: pg.ClientBase) => Pick<EventStore, 'readAll'>;

export interface AuditReport extends Comparison {
  readonly name: string;
  readonly equal: boolean;
  /** Up to where the history was folded. */
  readonly position: Position;
  /** Events that could not be read, and so count for neither side. */
  readonly unreadable: readonly Obstacle[];
}

const VISIBLE_END = `SELECT coalesce(max(e.position), 0)::text FROM __schema__.event e`;

export const visibleEnd = async (client: pg.ClientBase, live: Place): Promise<Position> => {
  const [row] = await rowsOf(client, { text: inPlace(VISIBLE_END, live) }, []);
  return BigInt(row?.[0] ?? 0);
};

/** As of when the table has to agree with the history. */
const asOf = async (client: pg.ClientBase, live: Place, projection: Projection): Promise<Position> => {
  if (projection.drive === 'inline') return visibleEnd(client, live);
  const standing = await readCheckpoint(client, live, projection);
  if (standing?._tag === 'Refused') throw new StoreFailure(rejected(standing.reason));
  return standing?.position ?? 0n;
};

const PARKED = `SELECT p.position::text FROM __schema__.parked p WHERE p.projection = $1`;

export const parkedPositions = async (
  client: pg.ClientBase,
  live: Place,
  name: string,
): Promise<ReadonlySet<Position>> => {
  const rows = await rowsOf(client, { text: inPlace(PARKED, live) }, [name]);
  return new Set(rows.map(([position]) => BigInt(position ?? 0)));
};

const auditOne = async (
  client: pg.ClientBase,
  live: Place,
  projection: Projection,
  history: Pick<EventStore, 'readAll'>,
): Promise<AuditReport> => {
  const { name } = projection;
  const position = await asOf(client, live, projection);
  const without = await parkedPositions(client, live, name);
  await createCopies(client, projection, temporaryPlace, live);
  const stretch = { after: 0n, upTo: position, without };
  const unreadable = await foldHistory(client, projection, temporaryPlace, history, stretch);
  const found = await compareProjection(client, projection, { live, copy: temporaryPlace });
  return { name, equal: isEqual(found), position, unreadable, ...found };
};

/** One projection. A table whose checkpoint is missing or of another version is refused: it needs a rebuild. */
export const audit = (
  db: pg.Pool,
  schema: SchemaName,
  projection: Projection,
  historyOn: HistoryOn,
): TaskEither<StoreError, AuditReport> =>
  attempt(() =>
    withClient(
      db,
      (client) =>
        inTransaction(client, () => auditOne(client, livePlace(schema), projection, historyOn(client)), {
          mode: 'ISOLATION LEVEL REPEATABLE READ',
          keeps: () => false,
          // It holds nothing that anybody waits for, and a page of a history that is elsewhere may be long in coming.
          isLeisurely: true,
        }),
      patience.rebuild,
    ),
  );
