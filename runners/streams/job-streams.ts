/** Job streams read and folded: the state that commands are decided on. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import { foldJob } from '../../domain/job/fold.js';
import { noJob, type JobState } from '../../domain/job/state.js';
import { jobIdOf, jobStream } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';

/** States of several jobs in one trip. A job that does not exist is in no entry. */
export const loadJobs = async (
  store: Pick<EventStore, 'readStreams'>,
  jobIds: readonly string[],
): Promise<E.Either<StoreError, ReadonlyMap<string, E.Either<StoreError, JobState>>>> => {
  const streams = await store.readStreams(jobIds.map(jobStream))();
  if (E.isLeft(streams)) return streams;
  const states = new Map<string, E.Either<StoreError, JobState>>();
  for (const [stream, events] of streams.right) {
    const jobId = jobIdOf(stream);
    if (jobId !== undefined) states.set(jobId, foldJob(events));
  }
  return E.right(states);
};

export const loadJob = async (
  store: Pick<EventStore, 'readStreams'>,
  jobId: string,
): Promise<E.Either<StoreError, JobState>> => {
  const states = await loadJobs(store, [jobId]);
  return E.isLeft(states) ? states : (states.right.get(jobId) ?? E.right(noJob));
};
