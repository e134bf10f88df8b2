/** A job's history, step by step: each event with the state it met and what stood before it. */
import * as E from 'fp-ts/lib/Either.js';
import type { Corrupt } from '../../domain/errors.js';
import { decodeEvent } from '../../domain/events.js';
import type { JobEvent } from '../../domain/job/events.js';
import { foldJob, isJobEvent } from '../../domain/job/fold.js';
import { noJob, type ExistingJob, type JobState } from '../../domain/job/state.js';
import type { RecordedEvent } from '../../domain/ledger.js';

export interface Moment {
  readonly recorded: RecordedEvent;
  readonly event: JobEvent;
  readonly at: string;
  readonly by: string;
  readonly before: JobState;
  readonly after: ExistingJob;
  /** When the event before happened. */
  readonly since: string | undefined;
}

/** Not empty where `events` is not. */
export const momentsOf = (events: readonly RecordedEvent[]): E.Either<Corrupt, readonly Moment[]> => {
  const moments: Moment[] = [];
  let before: JobState = noJob;
  for (const recorded of events) {
    const after = foldJob([recorded], before);
    if (E.isLeft(after)) return after;
    const decoded = decodeEvent(recorded);
    if (E.isLeft(decoded) || !isJobEvent(decoded.right) || after.right._tag === 'None') continue;
    const { occurredAt: at, by } = recorded.metadata;
    const since = moments.at(-1)?.at;
    moments.push({ recorded, event: decoded.right, at, by, before, after: after.right, since });
    before = after.right;
  }
  return E.right(moments);
};
