/** Catch-up tables brought to the end of history, and how far each is. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import type { StoreError } from '../../domain/errors.js';
import type { Position } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import type { Projection } from '../../projections/projection.js';
import { openTrack, type Before, type Track } from './advance.js';
import { countParked, haltOf, readCheckpoint } from './checkpoint.js';
import { attempt } from './error-mapping.js';
import { succeeded } from './outcome.js';
import { livePlace, type Place } from './sink.js';
import { stepper, type StepOptions } from './step.js';
import type { SchemaName } from './schema-name.js';

export interface ProjectorOptions extends StepOptions {
  /** Projections that put aside what they cannot apply and go on; the others stop there. */
  readonly parks?: readonly string[];
  /** By projection: what is done with a stretch of its events before its checkpoint moves behind them. */
  readonly before?: Readonly<Record<string, Before>>;
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

/** Every track to `target`, except where it halts. Those that are there go on with history while the others come. */
export const runTracks = async (
  db: pg.Pool,
  options: ProjectorOptions,
  tracks: readonly Track[],
  target: Position,
): Promise<void> => {
  const { step, idle } = stepper(db, options, tracks);
  const isBehind = ({ halt, position }: Track): boolean => halt === undefined && position < target;
  let until = target;
  try {
    while ((await step(until)) && tracks.some(isBehind)) {
      const end = await succeeded(options.store.end());
      until = end > target ? end : target;
    }
  } finally {
    await idle();
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
