/** What running attempts tell of their progress. Operational: derived from nothing, kept with the runner's presence, and gone with it. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import * as t from 'io-ts';
import type { StoreError } from '../domain/errors.js';
import { Json } from '../domain/json.js';

/** `at` is ISO-8601 UTC. */
export const ToldProgress = t.type({ jobId: t.string, attempt: t.number, value: Json, at: t.string });
export type ToldProgress = t.TypeOf<typeof ToldProgress>;

/** Times are ISO-8601 UTC. */
export interface PresentRunner {
  readonly id: string;
  readonly host: string;
  readonly startedAt: string;
  readonly renewedUntil: string;
  readonly isLost: boolean;
  readonly progress: readonly ToldProgress[];
}

export interface ProgressBoard {
  /** All that this runner's attempts have told, in place of what stood there. */
  readonly tell: (runnerId: string, progress: readonly ToldProgress[]) => TaskEither<StoreError, void>;
  /** The runners that are there, longest first. */
  readonly runners: () => TaskEither<StoreError, readonly PresentRunner[]>;
}
