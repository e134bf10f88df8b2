/** The two lanes in which a runner claims, and what it waits for where there is nothing to claim. */
import * as E from 'fp-ts/lib/Either.js';
import { explainStoreError } from '../../domain/errors.js';
import { pause } from '../../adapters/pause.js';
import type { BackOff } from '../../adapters/back-off.js';
import type { Bell } from '../../adapters/bell.js';
import type { Slots } from './slots.js';
import type { Supply } from './supply.js';
import type { Tenure } from './tenure.js';
import type { WorkerDependencies, WorkerOptions } from './worker-options.js';

/** How long to wait where jobs are ready that cannot be claimed yet: their twins run here, or another runner holds the rows. */
export const BLOCKED_MS = 20;
export const FIRST_RETRY_MS = 250;

export interface Desk {
  readonly dependencies: WorkerDependencies;
  readonly options: WorkerOptions;
  readonly hands: Slots;
  readonly claims: Supply;
  readonly stopping: AbortSignal;
  readonly bell: Bell;
  /** Of the second lane. */
  readonly assistantsBell: Bell;
  readonly tenure: () => Tenure;
  /** How long to wait where what is ready cannot be claimed; longer each time in a row. */
  blockedMs: number;
  /** The last claim found nothing: one lane is enough to find out when there is something again. */
  isDry: boolean;
  readonly retries: BackOff;
  /** The reason of the last failure, where there was no success since. */
  failure: string | undefined;
  superseded: number;
}

/** One step of the loop: claims, or waits for something to change. True where a draining runner has nothing left to do. */
export const isFinished = async (desk: Desk): Promise<boolean> => {
  const { hands, options } = desk;
  const wanted = hands.wanted();
  if (wanted === 0) {
    await desk.bell.wait(options.pollMs);
    return false;
  }
  switch (await claimOnce(desk, wanted)) {
    case 'claimed':
      desk.blockedMs = BLOCKED_MS;
      return false;
    case 'failed':
      return false;
    case 'blocked':
      await desk.bell.wait(desk.blockedMs);
      desk.blockedMs = Math.min(2 * desk.blockedMs, options.pollMs);
      return false;
    case 'dry':
      if (options.drain && hands.isIdle()) return isDrained(desk);
      await desk.bell.wait(options.drain ? BLOCKED_MS : options.pollMs);
      return false;
  }
};

/** Longer each time in a row, and told once until the reason changes. */
const waitAfterFailure = async (desk: Desk, reason: string): Promise<void> => {
  if (reason !== desk.failure) desk.dependencies.log(`claiming failed, and is tried again: ${reason}`);
  desk.failure = reason;
  await pause(desk.retries.next(), desk.stopping);
  await desk.dependencies.findServer();
};

const claimOnce = async (desk: Desk, wanted: number): Promise<'claimed' | 'blocked' | 'dry' | 'failed'> => {
  const { hands, claims } = desk;
  const tenure = desk.tenure();
  const asked = performance.now();
  const startable = hands.startable();
  hands.expect(wanted);
  const supplied = await claims.claim(wanted, startable);
  hands.expect(-wanted);
  if (E.isLeft(supplied)) {
    await waitAfterFailure(desk, explainStoreError(supplied.left));
    return 'failed';
  }
  desk.retries.reset();
  desk.failure = undefined;
  const { claimed, superseded, isDry, retryInMs, release } = supplied.right;
  desk.superseded += superseded;
  desk.isDry = isDry;
  if (claimed.length > 0) hands.travelled(performance.now() - asked);
  // Claims that came too late belong to nobody: their lease runs out.
  if (!tenure.lost.aborted) hands.add(claimed);
  release();
  if (tenure.lost.aborted) return 'failed';
  if (claimed.length > 0 || superseded > 0) return 'claimed';
  if (retryInMs !== undefined) desk.blockedMs = Math.max(1, Math.min(retryInMs, desk.options.pollMs));
  return isDry ? 'dry' : 'blocked';
};

/** The second lane: while the handlers are brief it claims beside the first, so that neither the database nor this process idles. */
export const assist = async (desk: Desk, ended: AbortSignal): Promise<void> => {
  const { hands, options, assistantsBell } = desk;
  while (!ended.aborted && !desk.stopping.aborted) {
    const wanted = !desk.isDry && hands.isBrief() && !desk.tenure().lost.aborted ? hands.wanted() : 0;
    const outcome = wanted === 0 ? 'dry' : await claimOnce(desk, wanted);
    desk.bell.ring();
    if (outcome !== 'claimed' && !ended.aborted) await assistantsBell.wait(options.pollMs);
  }
};

/** No expired claim is left, and nothing is ready: rows that others hold at this moment are not there for a pick, but they are. */
const isDrained = async ({
  dependencies,
  options,
  claims,
  tenure,
  bell: ringing,
}: Desk): Promise<boolean> => {
  const isWatchful = await dependencies.othersMayHold(tenure().runner.id);
  if (isWatchful && (await dependencies.recover()) > 0) return false;
  const ready = await dependencies.claimDesk.readyQueues(options.scope)();
  if (E.isRight(ready) && ready.right.length === 0) return true;
  claims.refresh();
  await ringing.wait(BLOCKED_MS);
  return false;
};
