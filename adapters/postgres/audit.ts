/**
 * Folds the history once more and compares: a catch-up table as of its checkpoint, an inline one as of now, each in one snapshot
 * together with the history it is compared with.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { rejected, type StoreError } from '../../domain/errors.js';
import type { Position } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import type { Projection } from '../../projections/projection.js';
import { inPlace, readCheckpoint, type Obstacle } from './checkpoint.js';
import { compareProjection, isEqual, type Comparison } from './compare.js';
import { createCopies, foldTogether, temporaryPlace, type Fold } from './copy-tables.js';
import { attempt } from './error-mapping.js';
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

export interface Audited {
  readonly name: string;
  readonly report: Either<StoreError, AuditReport>;
}

const VISIBLE_END = `SELECT coalesce(max(e.position), 0)::text FROM __schema__.event e`;

export const visibleEnd = async (client: pg.ClientBase, live: Place): Promise<Position> => {
  const [row] = await rowsOf(client, { text: inPlace(VISIBLE_END, live) }, []);
  return BigInt(row?.[0] ?? 0);
};

/** As of when the table has to agree with the history. */
const asOf = async (
  client: pg.ClientBase,
  live: Place,
  projection: Projection,
): Promise<Either<StoreError, Position>> => {
  if (projection.drive === 'inline') return right(await visibleEnd(client, live));
  const standing = await readCheckpoint(client, live, projection);
  if (standing?._tag === 'Refused') return left(rejected(standing.reason));
  return right(standing?.position ?? 0n);
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

/** One that cannot be compared (no checkpoint, or one of another version: it needs a rebuild) keeps no other from it. */
const openFold = async (
  client: pg.ClientBase,
  live: Place,
  projection: Projection,
): Promise<Either<StoreError, Fold>> => {
  const upTo = await asOf(client, live, projection);
  if (isLeft(upTo)) return upTo;
  const without = await parkedPositions(client, live, projection.name);
  await createCopies(client, projection, temporaryPlace, live);
  return right({ projection, after: 0n, upTo: upTo.right, without });
};

const auditTogether = async (
  client: pg.ClientBase,
  live: Place,
  projections: readonly Projection[],
  history: Pick<EventStore, 'readAll'>,
): Promise<readonly Audited[]> => {
  const opened: Either<StoreError, Fold>[] = [];
  for (const projection of projections) opened.push(await openFold(client, live, projection));
  const folds = opened.flatMap((fold) => (isLeft(fold) ? [] : [fold.right]));
  const unreadable = await foldTogether(client, folds, temporaryPlace, history);
  const audited: Audited[] = [];
  for (const [n, { name }] of projections.entries()) {
    const fold = opened[n] ?? left(rejected(`${name} was not compared`));
    const report = isLeft(fold)
      ? fold
      : right(await compared(client, live, fold.right, unreadable.get(fold.right)));
    audited.push({ name, report });
  }
  return audited;
};

const compared = async (
  client: pg.ClientBase,
  live: Place,
  { projection, upTo: position }: Fold,
  unreadable: readonly Obstacle[] = [],
): Promise<AuditReport> => {
  const found = await compareProjection(client, projection, { live, copy: temporaryPlace });
  return { name: projection.name, equal: isEqual(found), position, unreadable, ...found };
};

/** Each compared with the history, which is read once for all, in one snapshot. */
export const auditAll = (
  db: pg.Pool,
  schema: SchemaName,
  projections: readonly Projection[],
  historyOn: HistoryOn,
): TaskEither<StoreError, readonly Audited[]> =>
  attempt(() =>
    withClient(
      db,
      (client) =>
        inTransaction(
          client,
          () => auditTogether(client, livePlace(schema), projections, historyOn(client)),
          {
            mode: 'ISOLATION LEVEL REPEATABLE READ',
            keeps: () => false,
            // It holds nothing that anybody waits for, and a page of a history that is elsewhere may be long in coming.
            isLeisurely: true,
          },
        ),
      patience.rebuild,
    ),
  );

/** One projection. A table whose checkpoint is missing or of another version is refused: it needs a rebuild. */
export const audit =
  (
    db: pg.Pool,
    schema: SchemaName,
    projection: Projection,
    historyOn: HistoryOn,
  ): TaskEither<StoreError, AuditReport> =>
  async () => {
    const audited = await auditAll(db, schema, [projection], historyOn)();
    if (isLeft(audited)) return audited;
    return audited.right[0]?.report ?? left(rejected(`${projection.name} was not compared`));
  };
