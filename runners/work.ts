/** A whole runner process on a ledger: the worker, its reaper, and the wake-ups that shorten its waiting. */
import * as E from 'fp-ts/lib/Either.js';
import { newId } from '../adapters/system.js';
import { explainStoreError } from '../domain/errors.js';
import type { LedgerEvent } from '../domain/events.js';
import type { Runner } from '../domain/job/facts.js';
import { claimsLost } from './claims-lost.js';
import { envelope } from './streams/event-envelope.js';
import { ANY_TYPE, type Handler } from './define-job.js';
import type { Ledger } from './ledger.js';
import { handlersLedger } from './library/asking.js';
import { reaper } from './reaper.js';
import { VERSION } from './version.js';
import type { Stray } from './worker/culprits.js';
import { worker, type Worker } from './worker/worker.js';
import type { WorkerDependencies, WorkerOptions, WorkSummary } from './worker/worker-options.js';

export const defaultWorkerOptions = {
  concurrency: 10,
  leaseMs: 30_000,
  graceMs: 25_000,
  pollMs: 1_000,
  misfireToleranceMs: 60_000,
  reaperTickMs: 1_000,
} as const;

export interface WorkOptions {
  readonly handlers: readonly Handler[];
  /** Undefined: every type that has a handler. */
  readonly types?: readonly string[] | undefined;
  readonly wikis?: readonly string[] | undefined;
  readonly concurrency?: number | undefined;
  readonly leaseMs?: number | undefined;
  readonly heartbeatMs?: number | undefined;
  readonly graceMs?: number | undefined;
  readonly pollMs?: number | undefined;
  readonly reaperTickMs?: number | undefined;
  readonly drain?: boolean | undefined;
  readonly log: (line: string) => void;
}

export interface RunningWork {
  readonly done: Promise<WorkSummary>;
  readonly stop: () => void;
  /** To be asked where the process meets an error that nobody waited for (`uncaughtException`), before it ends. */
  readonly stray: () => Stray;
}

export const startWork = (ledger: Ledger, options: WorkOptions): RunningWork => {
  const { log } = options;
  const strange = strangeClock(ledger.clock.offset());
  if (strange !== undefined) log(strange);
  const runner: Worker = worker(dependenciesOf(ledger, options), workerOptions(options));
  const recovery = reaper(ledger.reaperPorts(log), {
    by: 'reaper',
    tickMs: options.reaperTickMs ?? defaultWorkerOptions.reaperTickMs,
    onExpired: runner.wake,
  });
  const stopListening = ledger.store.onNews((jobId) =>
    jobId === undefined ? runner.wake() : runner.recheck(jobId),
  );
  const keeping = ledger.keeper?.start({ onMoved: runner.wake, log });
  const run = async (): Promise<WorkSummary> => {
    try {
      return await runner.run();
    } finally {
      stopListening();
      await recovery.stop();
      await keeping?.stop();
      const lost = claimsLost(ledger.claimFigures());
      if (lost !== undefined) log(lost);
    }
  };
  return { done: run(), stop: runner.stop, stray: runner.stray };
};

const NOTABLE_OFFSET_MS = 1_000;

/** What is to be said of this machine's clock; undefined where it agrees with the database's. */
const strangeClock = (offsetMs: number): string | undefined => {
  if (Math.abs(offsetMs) < NOTABLE_OFFSET_MS) return undefined;
  const by = `${(Math.abs(offsetMs) / 1_000).toFixed(1)} s ${offsetMs > 0 ? 'behind' : 'ahead of'}`;
  return `the clock of this machine is ${by} the database's, by which leases and due times go`;
};

/** The types that both the handlers and the user allow; undefined where a handler takes all. */
const scopeTypes = ({ handlers, types }: WorkOptions): readonly string[] | undefined => {
  const own = handlers.map(({ type }) => type);
  if (own.includes(ANY_TYPE)) return types;
  return types?.filter((type) => own.includes(type)) ?? own;
};

const workerOptions = (options: WorkOptions): WorkerOptions => {
  const leaseMs = options.leaseMs ?? defaultWorkerOptions.leaseMs;
  return {
    handlers: options.handlers,
    scope: { types: scopeTypes(options), wikis: options.wikis },
    concurrency: options.concurrency ?? defaultWorkerOptions.concurrency,
    leaseMs,
    heartbeatMs: options.heartbeatMs ?? Math.max(1, Math.floor(leaseMs / 3)),
    graceMs: options.graceMs ?? defaultWorkerOptions.graceMs,
    pollMs: options.pollMs ?? defaultWorkerOptions.pollMs,
    misfireToleranceMs: defaultWorkerOptions.misfireToleranceMs,
    drain: options.drain ?? false,
  };
};

const dependenciesOf = (ledger: Ledger, options: WorkOptions): WorkerDependencies => {
  const { store, claimDesk, presence, board, clock, whereabouts } = ledger;
  const { log } = options;
  const tell = async (runner: Runner, event: LedgerEvent, expected: 'no-stream' | bigint): Promise<void> => {
    const events = envelope([event], { commandId: newId(), by: runner.id, occurredAt: clock.now() });
    const outcomes = await store.append([{ stream: `runner-${runner.id}`, expected, events }])();
    if (E.isLeft(outcomes))
      log(`the runner's ${event.type} was not written: ${explainStoreError(outcomes.left)}`);
  };
  return {
    store,
    claimDesk,
    presence,
    board,
    clock,
    log,
    handlersLedger: handlersLedger(ledger),
    identity: () => {
      const { host, ip, pid } = whereabouts;
      return { id: newId(), host, ip, instance: String(pid) };
    },
    tellStarted: (runner) => tell(runner, started(runner, options), 'no-stream'),
    tellStopped: (runner, how) => tell(runner, { type: 'RunnerStopped', data: { id: runner.id, how } }, 0n),
    enqueueChildren: async (children) => {
      const answers = await ledger.producer.enqueueAll(children);
      const failures = answers.filter(E.isLeft).length;
      if (failures > 0)
        log(`${failures} spawned jobs could not be enqueued yet; the reaper looks after them`);
    },
    othersMayHold: async (runnerId) => {
      const others = await ledger.watch.othersMayHold(runnerId)();
      return E.isLeft(others) || others.right;
    },
    findServer: ledger.findServer,
    recover: async () => {
      const recovered = await ledger.recover(log);
      if (E.isRight(recovered)) return recovered.right;
      log(`looking after what lost runners left failed: ${explainStoreError(recovered.left)}`);
      return 0;
    },
  };
};

const started = ({ id, host, ip }: Runner, options: WorkOptions): LedgerEvent => ({
  type: 'RunnerStarted',
  data: {
    id,
    host,
    ip,
    types: options.types ?? options.handlers.map(({ type }) => type),
    concurrency: options.concurrency ?? defaultWorkerOptions.concurrency,
    version: VERSION,
  },
});
