/** Copies of a projection's tables, and the history folded into them. */
import { isLeft } from 'fp-ts/lib/Either.js';
import type pg from 'pg';
import type { Position, RecordedEvent } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import type { Projection } from '../../projections/projection.js';
import type { Obstacle } from './checkpoint.js';
import { decodeOnce, foldEvents } from './fold-page.js';
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

/** Events that cannot be read change no row here, as they changed none when they were appended; they are given back. */
export const foldHistory = async (
  client: pg.ClientBase,
  projection: Projection,
  place: Place,
  history: Pick<EventStore, 'readAll'>,
  { after, upTo, without }: Stretch,
): Promise<readonly Obstacle[]> => {
  const unreadable: Obstacle[] = [];
  let position = after;
  while (position < upTo) {
    const read = history.readAll({ after: position, upTo, types: projection.handles, limit: PAGE_SIZE });
    const page = await succeeded(read);
    const events = page.events.filter((each) => without?.has(each.position) !== true);
    await foldReadable(client, projection, place, events, unreadable);
    position = page.upTo > position ? page.upTo : upTo;
  }
  for (const { name } of projection.tables) {
    await rowsOf(client, { text: `ANALYZE ${place.schema}.${name}` }, []);
  }
  return unreadable;
};

const foldReadable = async (
  client: pg.ClientBase,
  projection: Projection,
  place: Place,
  events: readonly RecordedEvent[],
  unreadable: Obstacle[],
): Promise<void> => {
  const decode = decodeOnce();
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
