/** Copies of a projection's tables, and the history folded into them. */
import { isLeft } from 'fp-ts/lib/Either.js';
import type pg from 'pg';
import type { Position, RecordedEvent } from '../../domain/ledger.js';
import type { EventStore, Page } from '../../domain/ports.js';
import type { Projection } from '../../projections/projection.js';
import type { Obstacle } from './checkpoint.js';
import { decodeOnce, foldEvents, type Decode } from './fold-page.js';
import { succeeded } from './outcome.js';
import { writeChanges, type Place } from './sink.js';
import { rowsOf, type Queryable } from './statement.js';

export const temporaryPlace: Place = { schema: 'pg_temp', isCopy: true };

export const createCopies = async (
  db: Queryable,
  { tables }: Projection,
  copy: Place,
  live: Place,
): Promise<void> => {
  const isTemporary = copy.schema === temporaryPlace.schema;
  for (const { name, key } of tables) {
    const [kind, end] = isTemporary ? ['TEMPORARY', ' ON COMMIT DROP'] : ['UNLOGGED', ''];
    const columns = `LIKE ${live.schema}.${name} INCLUDING DEFAULTS, PRIMARY KEY (${key.join(', ')})`;
    const text = `CREATE ${kind} TABLE ${copy.schema}.${name} (${columns})${end}`;
    await rowsOf(db, { text }, []);
  }
};

export interface Stretch {
  readonly after: Position;
  readonly upTo: Position;
  /** Positions of events that have been put aside. */
  readonly without?: ReadonlySet<Position>;
}

const PAGE_SIZE = 5_000;

/** A projection, and the stretch of history that is folded into copies of its tables. */
export interface Fold extends Stretch {
  readonly projection: Projection;
}

const eventsOf = ({
  projection,
  after,
  upTo,
  without,
}: Fold): ((events: Page['events']) => Page['events']) => {
  const handled = new Set<string>(projection.handles);
  const isWanted = ({ type, position }: RecordedEvent): boolean =>
    handled.has(type) && position > after && position <= upTo && without?.has(position) !== true;
  return (events) => events.filter(isWanted);
};

/**
 * History is read once for all of them. Events that cannot be read change no row here, as they changed none when they were appended; they
 * are given back.
 */
export const foldTogether = async (
  client: pg.ClientBase,
  folds: readonly Fold[],
  place: Place,
  history: Pick<EventStore, 'readAll'>,
): Promise<ReadonlyMap<Fold, readonly Obstacle[]>> => {
  const open = folds.map((fold) => ({ fold, select: eventsOf(fold), unreadable: new Array<Obstacle>() }));
  const types = [...new Set(folds.flatMap(({ projection }) => projection.handles))];
  const upTo = folds.reduce((last, fold) => (fold.upTo > last ? fold.upTo : last), 0n);
  let position = folds.reduce((first, { after }) => (after < first ? after : first), upTo);
  while (position < upTo) {
    const page = await succeeded(history.readAll({ after: position, upTo, types, limit: PAGE_SIZE }));
    const decode = decodeOnce();
    for (const { fold, select, unreadable } of open) {
      await foldReadable(client, fold.projection, place, select(page.events), decode, unreadable);
    }
    position = page.upTo > position ? page.upTo : upTo;
  }
  for (const { name } of folds.flatMap(({ projection }) => projection.tables)) {
    await rowsOf(client, { text: `ANALYZE ${place.schema}.${name}` }, []);
  }
  return new Map(open.map(({ fold, unreadable }) => [fold, unreadable]));
};

const foldReadable = async (
  client: pg.ClientBase,
  projection: Projection,
  place: Place,
  events: readonly RecordedEvent[],
  decode: Decode,
  unreadable: Obstacle[],
): Promise<void> => {
  let open = events;
  let folded = foldEvents(projection, open, decode);
  while (isLeft(folded)) {
    const { index, reason } = folded.left;
    const flawed = open[index];
    if (flawed === undefined) throw new Error(`${projection.name}: ${reason}`);
    unreadable.push({ ...flawed, reason });
    open = open.filter((each) => each !== flawed);
    folded = foldEvents(projection, open, decode);
  }
  await writeChanges(client, place, projection.tables, folded.right);
};
