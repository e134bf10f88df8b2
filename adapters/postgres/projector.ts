/**
 * Keeps catch-up tables: each projection in transactions of its own, from a checkpoint of its own. Projections that stand at the
 * same position share the reading and decoding of a page; the next page is read while this one is written.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import type { StoreError } from '../../domain/errors.js';
import type { Position } from '../../domain/ledger.js';
import type { EventStore, Page } from '../../domain/ports.js';
import type { Projection } from '../../projections/projection.js';
import { pause } from '../pause.js';
import { advance, openTrack, refreshTrack, type Before, type Track } from './advance.js';
import { countParked, haltOf, readCheckpoint } from './checkpoint.js';
import { attempt } from './error-mapping.js';
import { decodeOnce } from './fold-page.js';
import { succeeded } from './outcome.js';
import { livePlace, type Place } from './sink.js';
import type { SchemaName } from './schema-name.js';

export interface ProjectorOptions {
  readonly store: Pick<EventStore, 'readAll' | 'end'>;
  readonly pageSize?: number;
  /** Projections that put aside what they cannot apply and go on; the others stop there. */
  readonly parks?: readonly string[];
  /** By projection: what is done with a stretch of its events before its checkpoint moves behind them. */
  readonly before?: Readonly<Record<string, Before>>;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly names: readonly string[];
  readonly position: Position;
  readonly until: Position;
}

export interface ProjectionStatus {
  readonly name: string;
  readonly position: Position;
  readonly end: Position;
  /** Distance in positions, which have gaps. */
  readonly behind: Position;
  /** Why it does not move; undefined where it does. */
  readonly halt: string | undefined;
  readonly parked: number;
}

const PAGE_SIZE = 5_000;
/** How long a projector whose checkpoint was moved by another watches for the next move before it takes over. */
const WATCH_MS = 50;

const typesOf = (tracks: readonly Track[]): readonly string[] => [
  ...new Set(tracks.flatMap(({ projection }) => projection.handles)),
];

/** Pages for tracks that stand together, read one ahead. */
const pageReader = ({ store, pageSize = PAGE_SIZE }: ProjectorOptions, types: readonly string[]) => {
  const read = (after: Position): Promise<Page> =>
    succeeded(store.readAll({ after, types, limit: pageSize }));
  let ahead: { readonly after: Position; readonly page: Promise<Page> } | undefined;
  return async (after: Position): Promise<Page> => {
    const page = await (ahead?.after === after ? ahead.page : read(after));
    ahead = undefined;
    if (page.events.length >= pageSize) {
      ahead = { after: page.upTo, page: read(page.upTo) };
      ahead.page.catch(() => undefined); // whoever asks for it hears of it
    }
    return page;
  };
};

/** Another projector is at work: as long as it moves, there is nothing to do here. */
const followOther = async (db: pg.Pool, track: Track, until: Position): Promise<void> => {
  let before: Position;
  do {
    before = track.position;
    await pause(WATCH_MS);
    await refreshTrack(db, track);
  } while (track.halt === undefined && track.position !== before && track.position < until);
};

const together = (tracks: readonly Track[]): readonly (readonly Track[])[] => {
  const groups = new Map<Position, Track[]>();
  for (const track of tracks) groups.set(track.position, [...(groups.get(track.position) ?? []), track]);
  return [...groups.values()];
};

/** Takes tracks that stand together on, as long as they do. */
const runGroup = async (
  db: pg.Pool,
  options: ProjectorOptions,
  tracks: readonly Track[],
  until: Position,
  isEnding: () => boolean,
): Promise<void> => {
  const pageAfter = pageReader(options, typesOf(tracks));
  let position = tracks[0]?.position ?? until;
  while (position < until && !isEnding()) {
    const page = await pageAfter(position);
    const decode = decodeOnce();
    const outcomes = await Promise.all(tracks.map((track) => advance(db, track, page, decode)));
    const overtaken = tracks.filter((_, index) => outcomes[index] === 'overtaken');
    await Promise.all(overtaken.map((track) => followOther(db, track, until)));
    const names = tracks.map(({ projection }) => projection.name);
    options.onProgress?.({ names, position: page.upTo, until });
    if (page.upTo <= position || tracks.some((track) => track.position !== page.upTo)) return;
    position = page.upTo;
  }
};

/** Every track to `until`, except where it halts. */
export const runTracks = async (
  db: pg.Pool,
  options: ProjectorOptions,
  tracks: readonly Track[],
  until: Position,
  isEnding: () => boolean = () => false,
): Promise<void> => {
  for (;;) {
    const behind = tracks.filter(({ halt, position }) => halt === undefined && position < until);
    if (behind.length === 0 || isEnding()) return;
    await Promise.all(together(behind).map((group) => runGroup(db, options, group, until, isEnding)));
  }
};

export const openTracks = (
  db: pg.Pool,
  place: Place,
  projections: readonly Projection[],
  { parks = [], before = {} }: ProjectorOptions,
): Promise<Track[]> =>
  Promise.all(
    projections.map((each) =>
      openTrack(db, each, place, { parks: parks.includes(each.name), before: before[each.name] }),
    ),
  );

export const projectionStatus = (
  db: pg.Pool,
  schema: SchemaName,
  projections: readonly Projection[],
  store: Pick<EventStore, 'end'>,
): TaskEither<StoreError, readonly ProjectionStatus[]> =>
  attempt(async () => {
    const end = await succeeded(store.end());
    return Promise.all(
      projections.map(async (projection): Promise<ProjectionStatus> => {
        const { name } = projection;
        const standing = await readCheckpoint(db, livePlace(schema), projection);
        const position = standing?.position ?? 0n;
        const behind = end > position ? end - position : 0n;
        const parked = await countParked(db, schema, name);
        return { name, position, end, behind, halt: haltOf(name, standing), parked };
      }),
    );
  });

/** The tables as of `target`, by doing the work or by letting the live projector do it; both at once do no harm. */
export const untilCaughtUp = (
  db: pg.Pool,
  schema: SchemaName,
  projections: readonly Projection[],
  target: Position,
  options: ProjectorOptions,
): TaskEither<StoreError, readonly ProjectionStatus[]> =>
  attempt(async () => {
    const tracks = await openTracks(db, livePlace(schema), projections, options);
    await runTracks(db, options, tracks, target);
    return succeeded(projectionStatus(db, schema, projections, options.store));
  });

/** To the end of history as it is now, without telling how far that is: for whoever does it every few seconds. */
export const keepUp = (
  db: pg.Pool,
  schema: SchemaName,
  projections: readonly Projection[],
  options: ProjectorOptions,
): TaskEither<StoreError, void> =>
  attempt(async () => {
    const target = await succeeded(options.store.end());
    await runTracks(db, options, await openTracks(db, livePlace(schema), projections, options), target);
  });

/** To the end of history as it is now. */
export const catchUp = (
  db: pg.Pool,
  schema: SchemaName,
  projections: readonly Projection[],
  options: ProjectorOptions,
): TaskEither<StoreError, readonly ProjectionStatus[]> =>
  attempt(async () => {
    const target = await succeeded(options.store.end());
    return succeeded(untilCaughtUp(db, schema, projections, target, options));
  });
