/**
 * A runner: claims ahead, starts as slots come free, reports in batches. It stops as a small machine: working → finishing (no new
 * claims, what runs may end) → aborting (signals fire, what is held is given back) → stopped.
 */
import type { Handler } from '../define-job.js';
import { ANY_TYPE } from '../define-job.js';
import type { AttemptPorts } from './attempt.js';
import { backOff } from '../../adapters/back-off.js';
import type { Stray } from './culprits.js';
import { bell } from '../../adapters/bell.js';
import { assist, BLOCKED_MS, FIRST_RETRY_MS, isFinished, type Desk } from './lanes.js';
import { progressBook } from './progress-book.js';
import { slots } from './slots.js';
import { supply } from './supply.js';
import { beginTenure, type Tenure } from './tenure.js';
import type { WorkerDependencies, WorkerOptions, WorkSummary } from './worker-options.js';

export interface Worker {
  /** Works until stopped, or until there is nothing left to do. */
  readonly run: () => Promise<WorkSummary>;
  /** No new claims; what runs may end within the grace time. */
  readonly stop: () => void;
  /** Something may be ready. */
  readonly wake: () => void;
  /** Somebody did something to this job: where it is in hand here, its handler may have to be told. */
  readonly recheck: (jobId: string) => void;
  /** To be asked where an error is met that nobody waited for, and that ends the process. */
  readonly stray: () => Stray;
}

export const worker = (dependencies: WorkerDependencies, options: WorkerOptions): Worker => {
  const stopping = new AbortController();
  const ringing = bell();
  const assistantsBell = bell();
  const ringAll = (): void => {
    ringing.ring();
    assistantsBell.ring();
  };
  const tenures = succession(dependencies, options, stopping.signal);
  const handlers = new Map(options.handlers.map((handler) => [handler.type, handler]));
  const handlerOf = (type: string): Handler | undefined => handlers.get(type) ?? handlers.get(ANY_TYPE);
  const hands = slots({
    concurrency: options.concurrency,
    handlerOf,
    onChange: ({ state }) => {
      claims.noteEnd(state.job.enqueued);
      ringAll();
    },
    ports: tenures.ports,
  });
  const claims = supply({ ...dependencies, desk: dependencies.claimDesk }, options.scope, () => ({
    runner: tenures.current().runner,
    lost: tenures.current().lost,
    leaseMs: options.leaseMs,
    handlerOf,
    keys: hands.keys,
    isStillRun: hands.isStillRun,
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
    assistantsBell,
    tenure: tenures.current,
    blockedMs: BLOCKED_MS,
    isDry: true,
    // What is due is late by one poll at most once the database is back.
    retries: backOff(FIRST_RETRY_MS, Math.max(FIRST_RETRY_MS, options.pollMs)),
    failure: undefined,
    superseded: 0,
  };
  const stop = (): void => {
    stopping.abort();
    ringAll();
  };
  return {
    run: () => workUntilStopped(desk, tenures, ringAll),
    stop,
    wake: () => {
      claims.refresh();
      ringAll();
    },
    recheck: (jobId) => void hands.recheck(jobId),
    stray: () => withStop(hands.stray(), stop),
  };
};

/** Nothing is claimed while what is in hand is given back. */
const withStop = ({ words, spare }: Stray, stop: () => void): Stray => ({
  words,
  spare: () => {
    stop();
    return spare();
  },
});

const workUntilStopped = async (
  desk: Desk,
  tenures: Succession,
  ringAll: () => void,
): Promise<WorkSummary> => {
  const { dependencies, hands, options, stopping } = desk;
  const onLost = (reason: unknown): void => {
    hands.forsake(reason);
    ringAll();
  };
  await tenures.begin(onLost);
  if (options.drain) await dependencies.recover();
  const ended = new AbortController();
  const over = new AbortController();
  const assistant = assist(desk, ended.signal);
  const rechecking = hands.keepRechecking(options.heartbeatMs, over.signal);
  while (!stopping.aborted) {
    if (tenures.current().lost.aborted) await tenures.begin(onLost);
    if (await isFinished(desk)) break;
  }
  ended.abort();
  ringAll();
  await assistant;
  await finish(desk, tenures.current());
  await desk.claims.end();
  over.abort();
  await rechecking;
  return { ...hands.counts, superseded: desk.superseded };
};

interface Succession {
  readonly ports: () => AttemptPorts;
  readonly current: () => Tenure;
  readonly begin: (onLost: (reason: unknown) => void) => Promise<void>;
}

/** One tenure behind the other: a runner that lost its leases goes on under a new id. */
const succession = (
  dependencies: WorkerDependencies,
  options: WorkerOptions,
  stopping: AbortSignal,
): Succession => {
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
      const begun = await beginTenure(dependencies, dependencies.identity(), { ...options, stopping });
      const progress = progressBook(dependencies.board, begun.runner.id, dependencies.clock.now);
      ports = { ...dependencies, tenure: begun, misfireToleranceMs, progress };
      begun.lost.addEventListener('abort', () => onLost(begun.lost.reason));
      await dependencies.tellStarted(begun.runner);
    },
  };
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
  // One that was lost may have left claims behind: its presence says so until they have expired.
  if (tenure.lost.aborted) return dependencies.tellStopped(tenure.runner, 'lost');
  await dependencies.tellStopped(tenure.runner, 'drained');
  await dependencies.presence.leave(tenure.runner.id)();
};
