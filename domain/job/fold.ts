/** A job's state from its recorded events, or where its history cannot be understood. */
import * as E from 'fp-ts/lib/Either.js';
import type { Corrupt } from '../errors.js';
import { decodeEvent, type LedgerEvent } from '../events.js';
import type { RecordedEvent } from '../ledger.js';
import { evolve } from './evolve.js';
import { jobEventCodecs, type JobEvent } from './events.js';
import { noJob, type JobState } from './state.js';

export const isJobEvent = (event: LedgerEvent): event is JobEvent =>
  Object.hasOwn(jobEventCodecs, event.type);

const corrupt = (at: RecordedEvent, message: string): Corrupt => ({
  _tag: 'Corrupt',
  stream: at.stream,
  revision: at.revision,
  position: at.position,
  message,
});

/** Folds further events onto a state. */
export const foldJob = (
  events: readonly RecordedEvent[],
  from: JobState = noJob,
): E.Either<Corrupt, JobState> => {
  let state = from;
  for (const recorded of events) {
    const decoded = decodeEvent(recorded);
    if (E.isLeft(decoded)) return E.left(corrupt(recorded, decoded.left));
    if (!isJobEvent(decoded.right))
      return E.left(corrupt(recorded, `${recorded.type} is not an event of a job`));
    const next = evolve(state, decoded.right);
    if (E.isLeft(next))
      return E.left(corrupt(recorded, `${next.left.event} cannot follow the state ${next.left.state}`));
    state = next.right;
  }
  return E.right(state);
};

/** Folds events that `decide` has just given; one that cannot follow is a fault of ours, and ends the program. */
export const advanceJob = (state: JobState, events: readonly JobEvent[]): JobState =>
  events.reduce<JobState>((current, event) => {
    const next = evolve(current, event);
    if (E.isLeft(next)) throw new Error(`${next.left.event} was decided in state ${next.left.state}`);
    return next.right;
  }, state);
