/**
 * Takes finished streams out of the ledger, in one short transaction: what they have brought to the tables goes, and with it either their
 * events, or, where the history is elsewhere, a note of what is left to do there. Tables and history agree before it and behind it.
 */
import { isLeft } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { rejected, unavailable, type StoreError } from '../../../domain/errors.js';
import { LEDGER_STREAM, type NewEvent, type Position, type RecordedEvent } from '../../../domain/ledger.js';
import { prunedJobTable } from '../../../projections/pruned-job.js';
import type { Projection } from '../../../projections/projection.js';
import { inverseOf, type NetChanges } from '../../../projections/row-change.js';
import { appender, type InlineWrites } from '../append.js';
import { attempt, StoreFailure } from '../error-mapping.js';
import { decodeOnce, foldEvents, type Decode } from '../fold-page.js';
import { inSchema, type SchemaName } from '../schema-name.js';
import { patience } from '../silence.js';
import { livePlace, writeChanges } from '../sink.js';
import { rowsOf, withClient } from '../statement.js';
import { inTransaction } from '../transaction.js';
import { postOutbox } from './outbox.js';
import { hindranceOf } from './standings.js';

export interface PruneTarget {
  readonly db: pg.Pool;
  readonly schema: SchemaName;
  /** All there are, as they are driven here. */
  readonly projections: readonly Projection[];
  /** Those that have a checkpoint, and duties that have one and keep no table. */
  readonly kept: readonly Pick<Projection, 'name' | 'version'>[];
  /** Where events and tables share this database. */
  readonly inline: InlineWrites | undefined;
}

export interface FinishedStreams {
  /** Whole streams, in the order of the history. */
  readonly events: readonly RecordedEvent[];
  /** `HistoryPruned`, which names them. */
  readonly told: NewEvent;
}

/** `Hindered`: nothing has changed, and why. */
export type Pruning = { readonly _tag: 'Pruned' } | { readonly _tag: 'Hindered'; readonly why: string };

const LOCK_TIMEOUT = '5s';

/** An event that a projection cannot read has changed no row of its. */
const netOf = (projection: Projection, events: readonly RecordedEvent[], decode: Decode): NetChanges => {
  const types: ReadonlySet<string> = new Set(projection.handles);
  let open = events.filter(({ type }) => types.has(type));
  for (;;) {
    const folded = foldEvents(projection, open, decode);
    if (!isLeft(folded)) return folded.right;
    const { index } = folded.left;
    open = open.filter((_, n) => n !== index);
  }
};

const takeFromTables = async (
  client: pg.ClientBase,
  { schema, projections }: PruneTarget,
  events: readonly RecordedEvent[],
): Promise<void> => {
  const decode = decodeOnce();
  for (const projection of projections) {
    if (projection.name === prunedJobTable.name) continue;
    const keys = new Map(projection.tables.map(({ name, key }) => [name, key]));
    const inverse = inverseOf(netOf(projection, events, decode), (table) => keys.get(table) ?? []);
    await writeChanges(client, livePlace(schema), projection.tables, inverse);
  }
};

const LAST_ENTRY = `
SELECT max(e.revision)::text FROM __schema__.event e WHERE e.stream = $1 AND __schema__.only_by_index(e.revision)`;

const DELETE_STREAMS = `
DELETE FROM __schema__.event e WHERE e.stream = ANY ($1::text[]) AND __schema__.only_by_index(e.revision)`;

const FORGET_PARKED = `DELETE FROM __schema__.parked p WHERE p.stream = ANY ($1::text[])`;

const streamsOf = (events: readonly RecordedEvent[]): readonly string[] => [
  ...new Set(events.map(({ stream }) => stream)),
];

/** The event first: only a transaction that has appended it may delete what it names (0017). Late, since its position holds up readers. */
const takeFromHistory = async (
  client: pg.ClientBase,
  { schema, inline }: PruneTarget,
  { events, told }: FinishedStreams,
): Promise<void> => {
  const [row] = await rowsOf(client, { text: inSchema(LAST_ENTRY, schema) }, [LEDGER_STREAM]);
  const last = row?.[0] ?? undefined;
  const expected = last === undefined ? ('no-stream' as const) : BigInt(last);
  const append = appender(client, schema, { inline });
  const [outcome] = await append([{ stream: LEDGER_STREAM, expected, events: [told] }]);
  if (outcome === undefined || isLeft(outcome))
    throw new StoreFailure(unavailable('the history went on at the same moment: prune again'));
  const deleted = await client.query(inSchema(DELETE_STREAMS, schema), [streamsOf(events)]);
  if (deleted.rowCount !== events.length)
    throw new StoreFailure(rejected('a finished job has changed meanwhile: prune again'));
};

const lastOf = (events: readonly RecordedEvent[]): Position =>
  events.reduce((last, { position }) => (position > last ? position : last), 0n);

const prune = async (
  client: pg.ClientBase,
  target: PruneTarget,
  batch: FinishedStreams,
): Promise<Pruning> => {
  const { schema, projections, kept, inline } = target;
  const why = await hindranceOf(client, schema, projections, kept, lastOf(batch.events));
  if (why !== undefined) return { _tag: 'Hindered', why };
  await takeFromTables(client, target, batch.events);
  await client.query(inSchema(FORGET_PARKED, schema), [streamsOf(batch.events)]);
  if (inline === undefined) await postOutbox(client, schema, batch.told);
  else await takeFromHistory(client, target, batch);
  return { _tag: 'Pruned' };
};

export const pruneStreams = (target: PruneTarget, batch: FinishedStreams): TaskEither<StoreError, Pruning> =>
  attempt(() =>
    withClient(
      target.db,
      (client) =>
        inTransaction(client, () => prune(client, target, batch), {
          settings: { lock_timeout: LOCK_TIMEOUT },
          keeps: ({ _tag }) => _tag === 'Pruned',
        }),
      patience.page,
    ),
  );
