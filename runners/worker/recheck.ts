/**
 * Whether what runs here is still this runner's: somebody may have cancelled a job, given its claim back, or expired it. A handler whose
 * claim is gone is told by its signal; its report would be refused anyway.
 */
import * as E from 'fp-ts/lib/Either.js';
import { isHeld, type JobState } from '../../domain/job/state.js';
import type { EventStore } from '../../domain/ports.js';
import { pause } from '../../adapters/pause.js';
import { loadJobs } from '../streams/job-streams.js';
import type { Active, Hand } from './hand.js';
import { ClaimTaken } from './interruption.js';

const reasonOf = (state: JobState): ClaimTaken =>
  state._tag === 'Cancelled'
    ? new ClaimTaken('JobCancelled', `the job was cancelled: ${state.reason}`)
    : new ClaimTaken('LeaseLost', `the claim is no longer the current one; the job is ${state._tag}`);

const look = async (store: Pick<EventStore, 'readStreams'>, entries: readonly Active[]): Promise<void> => {
  const jobIds = entries.map(({ job: { jobId } }) => jobId);
  const states = jobIds.length === 0 ? E.right(new Map<string, never>()) : await loadJobs(store, jobIds);
  // What cannot be read now is looked at again.
  if (E.isLeft(states)) return;
  for (const { job, control } of entries) {
    const state = states.right.get(job.jobId);
    if (state === undefined || E.isLeft(state)) continue;
    const isOurs = isHeld(state.right) && state.right.claim.token === job.token;
    if (!isOurs && !control.isReported) control.abort.fire(reasonOf(state.right));
  }
};

export const recheck = ({ options, active }: Hand, jobId: string): Promise<void> =>
  look(
    options.ports().store,
    [...active].filter(({ job }) => job.jobId === jobId),
  );

/** Looks at everything that is longer in hand than one round: a summons may not have been heard. Short jobs are never looked at. */
export const keepRechecking = async (
  { options, active }: Hand,
  everyMs: number,
  ended: AbortSignal,
): Promise<void> => {
  let before: ReadonlySet<Active> = new Set();
  while (!ended.aborted) {
    await pause(everyMs, ended);
    if (ended.aborted) return;
    await look(
      options.ports().store,
      [...active].filter((entry) => before.has(entry)),
    );
    before = new Set(active);
  }
};
