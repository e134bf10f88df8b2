/** One projection taken over a stretch of history: rows and checkpoint together, flawed events found and halted at. */
import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js';
import type pg from 'pg';
import { explainStoreError, type StoreError } from '../../domain/errors.js';
import type { Position, RecordedEvent } from '../../domain/ledger.js';
import type { Page } from '../../domain/ports.js';
import type { Projection } from '../../projections/projection.js';
import type { NetChanges } from '../../projections/row-change.js';
import {
  haltOf,
  moveCheckpoint,
  noteParked,
  noteStopped,
  openCheckpoint,
  stoppedAt,
  UNHURRIED,
  type Obstacle,
} from './checkpoint.js';
import { isAboutValues } from './error-mapping.js';
import { foldEvents, type Decode, type Flaw } from './fold-page.js';
import { writeChanges, type Place } from './sink.js';
import { withClient } from './statement.js';
import { patience } from './silence.js';
import { inTransaction } from './transaction.js';

/**
 * Done with the events of a stretch before the checkpoint moves behind them; more than once where that fails. An error holds the checkpoint
 * where it is, and no other.
 */
export type Before = (events: readonly RecordedEvent[]) => Promise<Either<StoreError, unknown>>;

/** What a projector knows of one projection while it works on it. */
export interface Track {
  readonly projection: Projection;
  readonly place: Place;
  /** Put aside what cannot be applied, and go on; otherwise the projection stops there. */
  readonly parks: boolean;
  readonly before: Before | undefined;
  position: Position;
  halt: string | undefined;
}

export const openTrack = async (
  db: pg.Pool,
  projection: Projection,
  place: Place,
  { parks, before }: Pick<Track, 'parks' | 'before'>,
): Promise<Track> => {
  const track: Track = { projection, place, parks, before, position: 0n, halt: undefined };
  await refreshTrack(db, track);
  return track;
};

/**
 * Where others have taken it meanwhile. Where an earlier program stopped, this one tries: it may know better. Where this one has
 * stopped, it waits until somebody has rebuilt the projection.
 */
export const refreshTrack = async (db: pg.Pool, track: Track): Promise<void> => {
  const standing = await openCheckpoint(db, track.place, track.projection);
  track.position = standing.position;
  const waits = standing._tag === 'Refused' || track.halt !== undefined;
  track.halt = waits ? haltOf(track.projection.name, standing) : undefined;
};

export type Advance = 'moved' | 'overtaken' | 'halted';

/** How often an event is tried alone before it counts as one that cannot be applied. */
const TRIES = 3;

/** Where a stretch of history begins, behind this position, and where it ends. */
interface Bounds {
  readonly from: Position;
  readonly to: Position;
}

/** `from` is where the events were read, whatever has become of the track since: the checkpoint moves from there, or not at all. */
const moving = async (
  db: pg.Pool,
  track: Track,
  { from, to }: Bounds,
  work: (client: pg.ClientBase) => Promise<void>,
): Promise<boolean> =>
  withClient(
    db,
    async (client) => {
      const isOurs = await inTransaction(
        client,
        async () => {
          const moved = await moveCheckpoint(client, track.place, track.projection, { from, to });
          if (moved) await work(client);
          return moved;
        },
        { settings: UNHURRIED, keeps: (moved) => moved },
      );
      if (isOurs && to > track.position) track.position = to;
      return isOurs;
    },
    patience.page,
  );

/** The database says that rows are refused, not which event they are of. */
type Try = 'moved' | 'overtaken' | Flaw | { readonly index?: undefined; readonly reason: string };

const write = async (db: pg.Pool, track: Track, net: NetChanges, bounds: Bounds): Promise<Try> => {
  try {
    const isOurs = await moving(db, track, bounds, (client) =>
      writeChanges(client, track.place, track.projection.tables, net),
    );
    return isOurs ? 'moved' : 'overtaken';
  } catch (error) {
    if (!isAboutValues(error)) throw error;
    return { reason: error instanceof Error ? error.message : String(error) };
  }
};

const halt = async (db: pg.Pool, track: Track, from: Position, obstacle: Obstacle): Promise<Advance> => {
  const { name } = track.projection;
  if (track.parks) {
    const isOurs = await moving(db, track, { from, to: obstacle.position }, (client) =>
      noteParked(client, track.place, name, obstacle),
    );
    return isOurs ? 'moved' : 'overtaken';
  }
  await noteStopped(db, track.place, name, obstacle);
  track.halt = stoppedAt(name, obstacle);
  return 'halted';
};

/** A stretch that is refused is divided until the event that causes it stands alone. */
const apply = async (
  db: pg.Pool,
  track: Track,
  decode: Decode,
  events: readonly RecordedEvent[],
  bounds: Bounds,
): Promise<Advance> => {
  const attempt = async (): Promise<Try> => {
    const folded = foldEvents(track.projection, events, decode);
    return isLeft(folded) ? folded.left : write(db, track, folded.right, bounds);
  };
  let outcome = await attempt();
  const [only] = events;
  for (let tries = 1; events.length === 1 && typeof outcome !== 'string' && tries < TRIES; tries += 1) {
    outcome = await attempt();
  }
  if (typeof outcome === 'string') return outcome;
  if (events.length === 1 && only !== undefined)
    return halt(db, track, bounds.from, { ...only, reason: outcome.reason });
  const cut = Math.max(1, outcome.index ?? events.length >> 1);
  const last = events[cut - 1];
  if (last === undefined) throw new Error(`${track.projection.name}: ${outcome.reason}`);
  const { from, to } = bounds;
  const first = await apply(db, track, decode, events.slice(0, cut), { from, to: last.position });
  return first === 'moved' ? apply(db, track, decode, events.slice(cut), { from: last.position, to }) : first;
};

/** `page` is what was read behind `from`. */
export const advance = async (
  db: pg.Pool,
  track: Track,
  from: Position,
  page: Page,
  decode: Decode,
): Promise<Advance> => {
  if (page.upTo <= from) return 'moved';
  const types: ReadonlySet<string> = new Set(track.projection.handles);
  const events = page.events.filter(({ type }) => types.has(type));
  const before = await track.before?.(events);
  if (before === undefined || isRight(before))
    return apply(db, track, decode, events, { from, to: page.upTo });
  track.halt = explainStoreError(before.left);
  return 'halted';
};
