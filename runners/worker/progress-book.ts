/** What the attempts of one tenure have told of their progress, written to the board at most twice a second. */
import { storableResult } from '../../domain/job/result.js';
import type { Json } from '../../domain/json.js';
import type { ProgressBoard, ToldProgress } from '../../projections/progress.js';
import { pause } from '../../adapters/pause.js';

export interface ProgressBook {
  readonly tell: (jobId: string, attempt: number, value: unknown) => void;
  /** The attempt is over. Costs nothing where it has told nothing. */
  readonly forget: (jobId: string) => void;
}

const QUIET_MS = 500;
/** All of a runner's attempts share one row. */
const MOST_CHARACTERS = 1_000;

const isTooLong = (value: unknown): boolean => {
  try {
    return (JSON.stringify(value)?.length ?? 0) > MOST_CHARACTERS;
  } catch {
    return false;
  }
};

const storable = (value: unknown): Json => {
  if (isTooLong(value)) return { unstorable: 'progress too long to keep' };
  return storableResult(value) ?? (value === true ? true : null);
};

export const progressBook = (
  board: Pick<ProgressBoard, 'tell'>,
  runnerId: string,
  now: () => string,
): ProgressBook => {
  const told = new Map<string, ToldProgress>();
  let isChanged = false;
  let isWriting = false;

  const write = async (): Promise<void> => {
    isWriting = true;
    while (isChanged) {
      isChanged = false;
      // What cannot be written now is superseded by the next that is told.
      await board.tell(runnerId, [...told.values()])();
      await pause(QUIET_MS);
    }
    isWriting = false;
  };

  const change = (): void => {
    isChanged = true;
    if (!isWriting) void write();
  };

  return {
    tell: (jobId, attempt, value) => {
      told.set(jobId, { jobId, attempt, value: storable(value), at: now() });
      change();
    },
    forget: (jobId) => {
      if (told.delete(jobId)) change();
    },
  };
};
