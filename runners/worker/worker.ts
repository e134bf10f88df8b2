/**
 * A runner: claims ahead, starts as slots come free, reports in batches. It stops as a small machine: working → finishing (no new
 * claims, what runs may end) → aborting (signals fire, what is held is given back) → stopped.
 */
import * as E from 'fp-ts/lib/Either.js';
import { explainStoreError } from '../../domain/errors.js';
import { pause } from '../pause.js';
import type { Handler } from '../define-job.js';
import { ANY_TYPE } from '../define-job.js';
import type { AttemptPorts } from './attempt.js';
import { bell, type Bell } from './bell.js';
import { slots, type Slots } from './slots.js';
import { supply, type Supply } from './supply.js';
import { beginTenure, type Tenure } from './tenure.js';
import type { WorkerDependencies, WorkerOptions, WorkSummary } from './worker-options.js';

export interface Worker {
  /** Works until stopped, or until there is nothing left to do. */
  readonly run: () => Promise<WorkSummary>;
  /** No new claims; what runs may end within the grace time. */
  readonly stop: () => void;
  /** Something may be ready. */
  readonly wake: () => void;
}

/** How long to wait where jobs are ready that cannot be claimed yet: their twins run here, or another runner holds the rows. */
const BLOCKED_MS = 20;
const RETRY_MS = 250;

interface Desk {
  readonly dependencies: WorkerDependencies;
  readonly options: WorkerOptions;
  readonly hands: Slots;
  readonly claims: Supply;
  readonly stopping: AbortSignal;
  readonly bell: Bell;
  readonly tenure: () => Tenure;
  /** How long to wait where what is ready cannot be claimed; longer each time in a row. */
  blockedMs: number;
  superseded: number;
}

export const worker = (dependencies: WorkerDependencies, options: WorkerOptions): Worker => {
  const stopping = new AbortController();
  const ringing = bell();
  const tenures = succession(dependencies, options);
  const handlers = new Map(options.handlers.map((handler) => [handler.type, handler]));
  const handlerOf = (type: string): Handler | undefined => handlers.get(type) ?? handlers.get(ANY_TYPE);
  const hands = slots({
    concurrency: options.concurrency,
    handlerOf,
    onChange: ringing.ring,
    ports: tenures.ports,
  });
  const claims = supply({ ...dependencies, desk: dependencies.claimDesk }, options.scope, () => ({
    runner: tenures.current().runner,
    lost: tenures.current().lost,
    leaseMs: options.leaseMs,
    handlerOf,
    isHeldHere: hands.isHeldHere,
    startable: hands.startable(),
    misfireToleranceMs: options.misfireToleranceMs,
    log: dependencies.log,
  }));
  const desk: Desk = {
    dependencies,
    options,
    hands,
    claims,
    stopping: stopping.signal,
    bell: ringing,
    tenure: tenures.current,
    blockedMs: BLOCKED_MS,
    superseded: 0,
  };
  const onLost = (reason: unknown): void => {
    hands.forsake(reason);
    ringing.ring();
  };

  const work = async (): Promise<WorkSummary> => {
    await tenures.begin(onLost);
    if (options.drain) await dependencies.expireClaims();
    while (!stopping.signal.aborted) {
      if (tenures.current().lost.aborted) await tenures.begin(onLost);
      if (await isFinished(desk)) break;
    }
    await finish(desk, tenures.current());
    return { ...hands.counts, superseded: desk.superseded };
  };

  return {
    run: work,
    stop: () => {
      stopping.abort();
      ringing.ring();
    },
    wake: () => {
      claims.refresh();
      ringing.ring();
    },
  };
};

/** One tenure behind the other: a runner that lost its leases goes on under a new id. */
const succession = (dependencies: WorkerDependencies, options: WorkerOptions) => {
  const { misfireToleranceMs } = options;
  let ports: AttemptPorts | undefined;
  const currentPorts = (): AttemptPorts => {
    if (ports === undefined) throw new Error('the runner has not begun');
    return ports;
  };
  return {
    ports: currentPorts,
    current: (): Tenure => currentPorts().tenure,
    begin: async (onLost: (reason: unknown) => void): Promise<void> => {
      if (ports !== undefined) await dependencies.tellStopped(ports.tenure.runner, 'lost');
      const begun = await beginTenure(dependencies, dependencies.identity(), options);
      ports = { ...dependencies, tenure: begun, misfireToleranceMs };
      begun.lost.addEventListener('abort', () => onLost(begun.lost.reason));
      await dependencies.tellStarted(begun.runner);
    },
  };
};

/** One step of the loop: claims, or waits for something to change. True where a draining runner has nothing left to do. */
const isFinished = async (desk: Desk): Promise<boolean> => {
  const { hands, options, claims, dependencies } = desk;
  const wanted = hands.wanted();
  if (wanted === 0) {
    await desk.bell.wait(options.pollMs);
    return false;
  }
  const asked = performance.now();
  const supplied = await claims.claim(wanted);
  if (E.isLeft(supplied)) {
    dependencies.log(`claiming failed: ${explainStoreError(supplied.left)}`);
    await pause(RETRY_MS, desk.stopping);
    return false;
  }
  const { claimed, superseded, isDry } = supplied.right;
  desk.superseded += superseded;
  if (claimed.length > 0) hands.travelled(performance.now() - asked);
  // Claims that came too late belong to nobody: their lease runs out.
  if (desk.tenure().lost.aborted) return false;
  hands.add(claimed);
  if (claimed.length > 0 || superseded > 0) {
    desk.blockedMs = BLOCKED_MS;
    return false;
  }
  if (!isDry) {
    await desk.bell.wait(desk.blockedMs);
    desk.blockedMs = Math.min(2 * desk.blockedMs, options.pollMs);
  } else if (options.drain && hands.isIdle()) return isDrained(desk);
  else await desk.bell.wait(options.drain ? BLOCKED_MS : options.pollMs);
  return false;
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
  if (isWatchful && (await dependencies.expireClaims()) > 0) return false;
  const ready = await dependencies.claimDesk.readyQueues(options.scope)();
  if (E.isRight(ready) && ready.right.length === 0) return true;
  claims.refresh();
  await ringing.wait(BLOCKED_MS);
  return false;
};

const finish = async (
  { dependencies, options, hands, bell: ringing }: Desk,
  tenure: Tenure,
): Promise<void> => {
  await hands.close('the runner stops');
  if (!tenure.lost.aborted) {
    const deadline = performance.now() + options.graceMs;
    while (!hands.isIdle() && performance.now() < deadline) await ringing.wait(deadline - performance.now());
    if (!hands.isIdle()) await hands.interrupt('the runner stops');
    await tenure.journal.settled();
  }
  tenure.end();
  await dependencies.tellStopped(tenure.runner, 'drained');
  await dependencies.presence.leave(tenure.runner.id)();
};
