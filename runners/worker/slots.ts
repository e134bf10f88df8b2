/**
 * What a runner has in hand: claims that wait, attempts whose start is written, handlers that run, reports on their way. Starts are written
 * ahead of the free slots for as many jobs as will be called within a moment at the pace measured (ADR 3).
 */
import type { Handler } from '../define-job.js';
import {
  report,
  runAttempt,
  startAttempt,
  type AttemptControl,
  type AttemptEnd,
  type AttemptPorts,
  type StartedAttempt,
} from './attempt.js';
import { dedupKeyOf } from './claiming.js';
import type { HeldJob } from './holding.js';
import { keyCounter } from './key-counter.js';
import { measuredPace, type Pace } from './pace.js';
import { queueOf } from './queue.js';

export type EndCounts = Record<AttemptEnd, number>;

export interface SlotsOptions {
  readonly concurrency: number;
  readonly handlerOf: (type: string) => Handler | undefined;
  readonly ports: () => AttemptPorts;
  readonly onChange: () => void;
}

export interface Slots {
  readonly pace: Pace;
  readonly counts: EndCounts;
  readonly add: (jobs: readonly HeldJob[]) => void;
  readonly stocked: () => number;
  readonly busy: () => number;
  /** Nothing waits, nothing runs, nothing is to be reported. */
  readonly isIdle: () => boolean;
  readonly isHeldHere: (dedupKey: string) => boolean;
  /** No further calls: gives back what no handler has been called for. */
  readonly close: (why: string) => Promise<void>;
  /** Fires the signals of what runs and gives it back. */
  readonly interrupt: (why: string) => Promise<void>;
  /** The leases are gone: signals fire, and nothing is reported. */
  readonly forsake: (reason: unknown) => void;
}

/** A start is written this much ahead of its handler's call, at the pace measured. */
const AHEAD_SECONDS = 0.01;
const MOST_AHEAD = 200;

interface Active {
  readonly job: HeldJob;
  readonly control: AttemptControl;
}

/** Started, and waiting for its slot. */
interface Uncalled {
  readonly attempt: StartedAttempt;
  readonly entry: Active;
}

export const slots = (options: SlotsOptions): Slots => {
  const pace = measuredPace();
  const counts: EndCounts = { succeeded: 0, failed: 0, refused: 0, lost: 0, released: 0 };
  const keys = keyCounter();
  const stock = queueOf<HeldJob>();
  const uncalled = queueOf<Uncalled>();
  const active = new Set<Active>();
  let starting = 0;
  let busy = 0;
  let isOpen = true;

  /** A job whose holder was lost before may be what ends processes: nobody else's start is written beside it. */
  const mayStart = (job: HeldJob): boolean => {
    const ahead =
      job.state.job.losses > 0 ? 0 : Math.min(MOST_AHEAD, Math.floor(pace.perSecond() * AHEAD_SECONDS));
    return busy + starting + uncalled.size() < options.concurrency + ahead;
  };

  const fill = (): void => {
    while (isOpen && busy < options.concurrency) {
      const next = uncalled.take();
      if (next === undefined) break;
      void run(next);
    }
    for (let job = stock.first(); isOpen && job !== undefined && mayStart(job); job = stock.first()) {
      stock.take();
      void begin(job);
    }
  };

  const drop = (entry: Active): void => {
    active.delete(entry);
    keys.drop(dedupKeyOf(entry.job.state));
    options.onChange();
  };

  const done = (entry: Active, end: AttemptEnd): void => {
    if (!active.has(entry)) return;
    counts[end] += 1;
    drop(entry);
  };

  const begin = async (job: HeldJob): Promise<void> => {
    const handler = options.handlerOf(job.state.job.enqueued.type);
    if (handler === undefined) return;
    const entry: Active = { job, control: { abort: new AbortController(), isInterrupted: false } };
    active.add(entry);
    starting += 1;
    const outcome = await startAttempt(options.ports(), job, handler);
    starting -= 1;
    if (outcome._tag === 'Left') done(entry, outcome.left);
    else if (isOpen) uncalled.add({ attempt: outcome.right, entry });
    else await giveBack(entry, 'the runner stops');
    fill();
  };

  const run = async ({ attempt, entry }: Uncalled): Promise<void> => {
    busy += 1;
    const end = await runAttempt(options.ports(), attempt, entry.control, () => {
      busy -= 1;
      pace.count();
      fill();
    });
    done(entry, end);
  };

  const release = async (job: HeldJob, why: string): Promise<void> => {
    const ports = options.ports();
    await report(ports, job, { _tag: 'ReleaseClaim', token: job.token, now: ports.clock.now(), why });
    counts.released += 1;
  };

  /** Interrupted for good: what its handler still does or says is not reported. */
  const giveBack = async (entry: Active, why: string): Promise<void> => {
    entry.control.isInterrupted = true;
    entry.control.abort.abort(new Error(why));
    await release(entry.job, why);
    if (active.has(entry)) drop(entry);
  };

  const takeStock = (): readonly HeldJob[] => {
    const waiting = stock.takeAll();
    for (const job of waiting) keys.drop(dedupKeyOf(job.state));
    return waiting;
  };

  return {
    pace,
    counts,
    add: (jobs) => {
      for (const job of jobs) {
        keys.hold(dedupKeyOf(job.state));
        stock.add(job);
      }
      fill();
    },
    stocked: stock.size,
    busy: () => busy + starting + uncalled.size(),
    isIdle: () => active.size === 0 && stock.size() === 0,
    isHeldHere: keys.has,
    close: async (why) => {
      isOpen = false;
      const stocked = takeStock().map((job) => release(job, why));
      await Promise.all([...stocked, ...uncalled.takeAll().map(({ entry }) => giveBack(entry, why))]);
    },
    interrupt: async (why) => {
      await Promise.all([...active].map((entry) => giveBack(entry, why)));
    },
    forsake: (reason) => {
      takeStock();
      for (const { entry } of uncalled.takeAll()) drop(entry);
      for (const { control } of active) control.abort.abort(reason);
    },
  };
};
