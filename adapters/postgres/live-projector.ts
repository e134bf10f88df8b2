/** A projector that stays: catches up, waits for a wake-up or a moment, and begins again, until it is stopped. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import type { StoreError } from '../../domain/errors.js';
import type { Subscription } from '../../domain/ports.js';
import type { Projection } from '../../projections/projection.js';
import { backOff } from '../back-off.js';
import { bell } from '../bell.js';
import { refreshTrack, type Track } from './advance.js';
import { toStoreError } from './error-mapping.js';
import { succeeded } from './outcome.js';
import { openTracks, projectionStatus, type ProjectionStatus, type ProjectorOptions } from './projector.js';
import type { SchemaName } from './schema-name.js';
import { livePlace } from './sink.js';
import { stepper, type Stepper } from './step.js';

export interface LiveProjectorOptions extends ProjectorOptions {
  readonly pollMs?: number;
  /** Calls when there may be something new; it only shortens the waiting. */
  readonly wake?: (onWake: () => void) => Subscription;
  /** Called at every failure; the projector goes on trying, less and less often. */
  readonly onError?: (error: StoreError) => void;
}

export interface Projector {
  readonly status: () => TaskEither<StoreError, readonly ProjectionStatus[]>;
  /** Ends between two transactions. */
  readonly stop: () => Promise<void>;
}

const POLL_MS = 1_000;
const FIRST_RETRY_MS = 200;
/** A projector that comes late is late with all it keeps. */
const LONGEST_RETRY_MS = 1_000;

export const startProjector = (
  db: pg.Pool,
  schema: SchemaName,
  projections: readonly Projection[],
  options: LiveProjectorOptions,
): Projector => {
  const news = bell();
  const subscription = options.wake?.(news.ring);
  let isEnding = false;
  let work: (Stepper & { readonly tracks: readonly Track[] }) | undefined;

  const open = async () => {
    const tracks = await openTracks(db, livePlace(schema), projections, options);
    return { tracks, ...stepper(db, options, tracks) };
  };

  const round = async (): Promise<void> => {
    work ??= await open();
    const { tracks, step } = work;
    const halted = tracks.filter(({ halt }) => halt !== undefined);
    await Promise.all(halted.map((track) => refreshTrack(db, track)));
    while (!isEnding && (await step(await succeeded(options.store.end()))));
  };

  const run = async (): Promise<void> => {
    const retries = backOff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
    while (!isEnding) {
      let wait = options.pollMs ?? POLL_MS;
      try {
        await round();
        retries.reset();
      } catch (error) {
        wait = retries.next();
        options.onError?.(toStoreError(error));
      }
      if (!isEnding) await news.wait(wait);
    }
    await work?.idle();
  };

  const running = run();
  return {
    status: () => projectionStatus(db, schema, projections, options.store),
    stop: async () => {
      isEnding = true;
      news.ring();
      await Promise.all([running, subscription?.stop()]);
    },
  };
};
