/**
 * What a runner has in hand: claims that wait, attempts whose start is written, handlers that run, reports on their way. Starts are written
 * ahead of the free slots for as many jobs as the slots can call while a trip to the store is under way (ADR 3).
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
import { interruption } from './interruption.js';
import { keyCounter, type KeyCounter } from './key-counter.js';
import { measuredPace, type Pace } from './pace.js';
import { measuredTempo, type Tempo } from './tempo.js';
import { queueOf, type Queue } from './queue.js';

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

const MOST_AHEAD = 200;

interface Active {
  readonly job: HeldJob;
  readonly isSuspect: boolean;
  readonly control: AttemptControl;
  /** Set while its handler or its report is under way. */
  running?: Promise<void>;
}

/** Started, and waiting for its slot. */
interface Uncalled {
  readonly attempt: StartedAttempt;
  readonly entry: Active;
}

/** All that changes, in one place. */
interface Hand {
  readonly options: SlotsOptions;
  readonly pace: Pace;
  readonly tempo: Tempo;
  readonly counts: EndCounts;
  readonly keys: KeyCounter;
  readonly stock: Queue<HeldJob>;
  readonly uncalled: Queue<Uncalled>;
  readonly active: Set<Active>;
  starting: number;
  busy: number;
  /** Jobs in hand that lost a lease before: one of them may be what ends processes. */
  suspects: number;
  isOpen: boolean;
}

export const slots = (options: SlotsOptions): Slots => {
  const hand: Hand = {
    options,
    pace: measuredPace(),
    tempo: measuredTempo(),
    counts: { succeeded: 0, failed: 0, refused: 0, lost: 0, released: 0 },
    keys: keyCounter(),
    stock: queueOf(),
    uncalled: queueOf(),
    active: new Set(),
    starting: 0,
    busy: 0,
    suspects: 0,
    isOpen: true,
  };
  return {
    pace: hand.pace,
    counts: hand.counts,
    add: (jobs) => take(hand, jobs),
    stocked: hand.stock.size,
    busy: () => occupied(hand),
    isIdle: () => hand.active.size === 0 && hand.stock.size() === 0,
    isHeldHere: hand.keys.has,
    close: (why) => close(hand, why),
    interrupt: async (why) => {
      await Promise.all([...hand.active].map((entry) => giveBack(hand, entry, why)));
    },
    forsake: (reason) => forsake(hand, reason),
  };
};

const occupied = ({ busy, starting, uncalled }: Hand): number => busy + starting + uncalled.size();

const take = (hand: Hand, jobs: readonly HeldJob[]): void => {
  for (const job of jobs) {
    hand.keys.hold(dedupKeyOf(job.state));
    hand.stock.add(job);
  }
  fill(hand);
};

const isSuspect = ({ state }: HeldJob): boolean => state.job.losses > 0;

/** Beside a suspect nothing is started ahead: what is counted then has been called. */
const mayStart = (hand: Hand, job: HeldJob): boolean => {
  const isCareful = hand.suspects > 0 || isSuspect(job);
  const ahead = isCareful ? 0 : Math.min(MOST_AHEAD, hand.tempo.callsPerTrip(hand.options.concurrency));
  return occupied(hand) < hand.options.concurrency + ahead;
};

const fill = (hand: Hand): void => {
  while (hand.isOpen && hand.busy < hand.options.concurrency) {
    const next = hand.uncalled.take();
    if (next === undefined) break;
    next.entry.running = run(hand, next);
  }
  for (
    let job = hand.stock.first();
    hand.isOpen && job !== undefined && mayStart(hand, job);
    job = hand.stock.first()
  ) {
    hand.stock.take();
    void begin(hand, job);
  }
};

const begin = async (hand: Hand, job: HeldJob): Promise<void> => {
  const handler = hand.options.handlerOf(job.state.job.enqueued.type);
  if (handler === undefined) return;
  const control = { abort: interruption(), isInterrupted: false, isReported: false };
  const entry: Active = { job, control, isSuspect: isSuspect(job) };
  hand.active.add(entry);
  if (entry.isSuspect) hand.suspects += 1;
  hand.starting += 1;
  const asked = performance.now();
  const outcome = await startAttempt(hand.options.ports(), job, handler);
  hand.tempo.travelled(performance.now() - asked);
  hand.starting -= 1;
  if (outcome._tag === 'Left') done(hand, entry, outcome.left);
  else if (!control.isInterrupted) await settleStart(hand, { attempt: outcome.right, entry });
  fill(hand);
};

const STOPPING = 'the runner stops';

/** Meanwhile the lease may have been lost, or the runner told to stop: then no handler is called. */
const settleStart = async (hand: Hand, started: Uncalled): Promise<void> => {
  if (started.entry.control.abort.hasFired()) done(hand, started.entry, 'lost');
  else if (hand.isOpen) hand.uncalled.add(started);
  else await giveBack(hand, started.entry, STOPPING);
};

const run = async (hand: Hand, { attempt, entry }: Uncalled): Promise<void> => {
  hand.busy += 1;
  const called = performance.now();
  const end = await runAttempt(hand.options.ports(), attempt, entry.control, () => {
    hand.busy -= 1;
    hand.tempo.handled(performance.now() - called);
    hand.pace.count();
    fill(hand);
  });
  // Whoever interrupted it tells its end.
  if (!entry.control.isInterrupted || entry.control.isReported) done(hand, entry, end);
};

const drop = (hand: Hand, entry: Active): void => {
  hand.active.delete(entry);
  if (entry.isSuspect) hand.suspects -= 1;
  hand.keys.drop(dedupKeyOf(entry.job.state));
  hand.options.onChange();
};

const done = (hand: Hand, entry: Active, end: AttemptEnd): void => {
  if (!hand.active.has(entry)) return;
  hand.counts[end] += 1;
  drop(hand, entry);
};

const release = async ({ options }: Hand, job: HeldJob, why: string): Promise<AttemptEnd> => {
  const ports = options.ports();
  const now = ports.clock.now();
  const written = await report(ports, job, { _tag: 'ReleaseClaim', token: job.token, now, why });
  return written._tag === 'Right' ? 'released' : 'lost';
};

/** Interrupted for good: what its handler still does or says is not reported, unless its report was under way before. */
const giveBack = async (hand: Hand, entry: Active, why: string): Promise<void> => {
  entry.control.isInterrupted = true;
  entry.control.abort.fire(new Error(why));
  if (entry.control.isReported) await entry.running;
  else done(hand, entry, await release(hand, entry.job, why));
};

const takeStock = ({ stock, keys }: Hand): readonly HeldJob[] => {
  const waiting = stock.takeAll();
  for (const job of waiting) keys.drop(dedupKeyOf(job.state));
  return waiting;
};

const close = async (hand: Hand, why: string): Promise<void> => {
  hand.isOpen = false;
  const stocked = takeStock(hand).map(async (job) => {
    hand.counts[await release(hand, job, why)] += 1;
  });
  const started = hand.uncalled.takeAll().map(({ entry }) => giveBack(hand, entry, why));
  await Promise.all([...stocked, ...started]);
};

const forsake = (hand: Hand, reason: unknown): void => {
  takeStock(hand);
  for (const { entry } of hand.uncalled.takeAll()) drop(hand, entry);
  for (const { control } of hand.active) control.abort.fire(reason);
};
