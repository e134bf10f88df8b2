/**
 * Whether what runs here is still this runner's: somebody may have cancelled a job, given its claim back, or expired it. A handler whose
 * claim is gone is told by its signal; its report would be refused anyway.
 */
import * as E from 'fp-ts/lib/Either.js';
import { isHeld, type JobState } from '../../domain/job/state.js';
import { pause } from '../../adapters/pause.js';
import { loadJobs } from '../streams/job-streams.js';
import type { Active, Hand } from './hand.js';
import { ClaimTaken } from './interruption.js';

const reasonOf = (state: JobState): ClaimTaken =>
  state._tag === 'Cancelled'
    ? new ClaimTaken('JobCancelled', `the job was cancelled: ${state.reason}`)
    : new ClaimTaken('LeaseLost', `the claim is no longer the current one; the job is ${state._tag}`);

const look = async ({ options }: Hand, entries: readonly Active[]): Promise<void> => {
  if (entries.length === 0) return;
  const states = await loadJobs(
    options.ports().store,
    entries.map(({ job: { jobId } }) => jobId),
  );
  // What cannot be read now is looked at again.
  if (E.isLeft(states)) return;
  for (const { job, control } of entries) {
    const state = states.right.get(job.jobId);
    if (state === undefined || E.isLeft(state)) continue;
    const isOurs = isHeld(state.right) && state.right.claim.token === job.token;
    if (!isOurs && !control.isReported) control.abort.fire(reasonOf(state.right));
  }
};

export const recheck = (hand: Hand, jobId: string): Promise<void> =>
  look(
    hand,
    [...hand.active].filter(({ job }) => job.jobId === jobId),
  );

/** Looks at everything that is longer in hand than one round: a summons may not have been heard. Short jobs are never looked at. */
export const keepRechecking = async (hand: Hand, everyMs: number, ended: AbortSignal): Promise<void> => {
  let before = new WeakSet<Active>();
  while (!ended.aborted) {
    await pause(everyMs, ended);
    if (ended.aborted) return;
    await look(
      hand,
      [...hand.active].filter((entry) => before.has(entry)),
    );
    before = new WeakSet(hand.active);
  }
};
