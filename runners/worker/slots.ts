/** What a runner has in hand: claims that wait for a slot, attempts that run, reports on their way. */
import type { AttemptControl, AttemptEnd, AttemptPorts } from './attempt.js';
import { report, runAttempt } from './attempt.js';
import { dedupKeyOf } from './claiming.js';
import type { HeldJob } from './holding.js';
import { measuredPace, type Pace } from './pace.js';
import type { Handler } from '../define-job.js';

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
  /** No further starts. */
  readonly close: () => void;
  /** Gives back the claims that have not been started. */
  readonly releaseStock: (why: string) => Promise<void>;
  /** Fires the signals of what runs and gives it back. */
  readonly interrupt: (why: string) => Promise<void>;
  /** The leases are gone: signals fire, and nothing is reported. */
  readonly forsake: (reason: unknown) => void;
}

interface Active {
  readonly job: HeldJob;
  readonly control: AttemptControl;
}

export const slots = (options: SlotsOptions): Slots => {
  const pace = measuredPace();
  const counts: EndCounts = { succeeded: 0, failed: 0, refused: 0, lost: 0, released: 0 };
  const keys = keyCounter();
  const active = new Set<Active>();
  let stock: HeldJob[] = [];
  let next = 0;
  let busy = 0;
  let isOpen = true;

  const fill = (): void => {
    while (isOpen && busy < options.concurrency && next < stock.length) {
      const job = stock[next];
      next += 1;
      if (job !== undefined) void begin(job);
    }
    if (next === stock.length) {
      stock = [];
      next = 0;
    }
  };

  const begin = async (job: HeldJob): Promise<void> => {
    const handler = options.handlerOf(job.state.job.enqueued.type);
    if (handler === undefined) return;
    busy += 1;
    let isFreed = false;
    const slotFreed = (): void => {
      if (isFreed) return;
      isFreed = true;
      busy -= 1;
      pace.count();
      fill();
      options.onChange();
    };
    const entry: Active = { job, control: { abort: new AbortController(), isInterrupted: false, slotFreed } };
    active.add(entry);
    const end = await runAttempt(options.ports(), job, handler, entry.control);
    active.delete(entry);
    keys.drop(dedupKeyOf(job.state));
    if (!entry.control.isInterrupted || end !== 'released') counts[end] += 1;
    options.onChange();
  };

  const giveBack = async (job: HeldJob, why: string): Promise<void> => {
    const ports = options.ports();
    await report(ports, job, { _tag: 'ReleaseClaim', token: job.token, now: ports.clock.now(), why });
    counts.released += 1;
  };

  const takeStock = (): readonly HeldJob[] => {
    const waiting = stock.slice(next);
    stock = [];
    next = 0;
    for (const job of waiting) keys.drop(dedupKeyOf(job.state));
    return waiting;
  };

  return {
    pace,
    counts,
    add: (jobs) => {
      for (const job of jobs) keys.hold(dedupKeyOf(job.state));
      stock = next === 0 && stock.length === 0 ? [...jobs] : [...stock.slice(next), ...jobs];
      next = 0;
      fill();
    },
    stocked: () => stock.length - next,
    busy: () => busy,
    isIdle: () => active.size === 0 && stock.length === next,
    isHeldHere: keys.has,
    close: () => {
      isOpen = false;
    },
    releaseStock: async (why) => {
      await Promise.all(takeStock().map((job) => giveBack(job, why)));
    },
    interrupt: async (why) => {
      const running = [...active];
      for (const { control } of running) {
        control.isInterrupted = true;
        control.abort.abort(new Error(why));
      }
      await Promise.all(running.map(({ job }) => giveBack(job, why)));
    },
    forsake: (reason) => {
      takeStock();
      for (const { control } of active) control.abort.abort(reason);
    },
  };
};

const keyCounter = () => {
  const held = new Map<string, number>();
  return {
    has: (key: string): boolean => held.has(key),
    hold: (key: string): void => {
      held.set(key, (held.get(key) ?? 0) + 1);
    },
    drop: (key: string): void => {
      const left = (held.get(key) ?? 1) - 1;
      if (left > 0) held.set(key, left);
      else held.delete(key);
    },
  };
};
