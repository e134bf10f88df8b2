/**
 * What a runner has in hand: claims that wait, attempts whose start is written, handlers that run, reports on their way. Starts are written
 * ahead of the free slots for as many jobs as the slots can call while a trip to the store is under way (ADR 3).
 */
import { pause } from '../../adapters/pause.js';
import type { Running } from '../../domain/job/state.js';
import { report, runAttempt, type AttemptEnd } from './attempt.js';
import { startAttempt, startedAttempt } from './attempt-start.js';
import {
  done,
  drop,
  emptyHand,
  enter,
  isBrief,
  isStillRun,
  mayStart,
  startable,
  wanted,
  type Active,
  type EndCounts,
  type Hand,
  type SlotsOptions,
  type Uncalled,
} from './hand.js';
import type { HeldKeys } from './candidate.js';
import type { HeldJob } from './holding.js';
import { keepRechecking, recheck } from './recheck.js';
import { culpritOf, strayInWords, type Stray } from './culprits.js';

export interface Slots {
  readonly counts: EndCounts;
  readonly add: (jobs: readonly HeldJob[]) => void;
  /** How many claims to ask for now; 0 while there is no need. */
  readonly wanted: () => number;
  /** How many claims could be started at once. */
  readonly startable: () => number;
  /** So many claims have been asked for; a negative number: have been answered. */
  readonly expect: (claims: number) => void;
  /** True where nothing is waited for but the database. */
  readonly isBrief: () => boolean;
  /** A trip that brought claims and their starts took so long. */
  readonly travelled: (milliseconds: number) => void;
  /** Nothing waits, nothing runs, nothing is to be reported. */
  readonly isIdle: () => boolean;
  /** Keys of what is in hand. */
  readonly keys: HeldKeys;
  /** True while an attempt of this job has not come to its end here. */
  readonly isStillRun: (jobId: string) => boolean;
  /** No further calls: gives back what no handler has been called for. */
  readonly close: (why: string) => Promise<void>;
  /** Fires the signals of what runs and gives it back. */
  readonly interrupt: (why: string) => Promise<void>;
  /** The leases are gone: signals fire, and nothing is reported. */
  readonly forsake: (reason: unknown) => void;
  /** This job's claim may have been taken: looks, and fires its handler's signal where that is so. */
  readonly recheck: (jobId: string) => Promise<void>;
  /** To be asked where an error is met that nobody waited for. */
  readonly stray: () => Stray;
  /** Rechecks all that runs long, from time to time. */
  readonly keepRechecking: (everyMs: number, ended: AbortSignal) => Promise<void>;
}

export const slots = (options: SlotsOptions): Slots => {
  const hand = emptyHand(options);
  return {
    counts: hand.counts,
    add: (jobs) => take(hand, jobs),
    wanted: () => wanted(hand),
    startable: () => startable(hand),
    expect: (claims) => {
      hand.expected += claims;
    },
    isBrief: () => isBrief(hand),
    travelled: hand.tempo.travelled,
    isIdle: () => hand.active.size === 0 && hand.stock.size() === 0 && hand.expected === 0,
    keys: hand.keys,
    isStillRun: (jobId) => isStillRun(hand, jobId),
    close: (why) => close(hand, why),
    interrupt: async (why) => {
      await Promise.all([...hand.active].map((entry) => giveBack(hand, entry, why)));
    },
    forsake: (reason) => forsake(hand, reason),
    recheck: (jobId) => recheck(hand, jobId),
    stray: () => strayIn(hand),
    keepRechecking: (everyMs, ended) => keepRechecking(hand, everyMs, ended),
  };
};

const take = (hand: Hand, jobs: readonly HeldJob[]): void => {
  for (const job of jobs) {
    hand.keys.hold(job.dedupKey);
    if (job.state._tag === 'Running') takeStarted(hand, job, job.state);
    else hand.stock.add(job, job.rank);
  }
  fill(hand);
};

const takeStarted = (hand: Hand, job: HeldJob, running: Running): void => {
  const handler = hand.options.handlerOf(running.job.enqueued.type);
  if (handler === undefined) return;
  const entry = enter(hand, job);
  if (hand.isOpen) hand.uncalled.add({ attempt: startedAttempt(job, running, handler), entry }, job.rank);
  else void giveBack(hand, entry, STOPPING);
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
  const entry = enter(hand, job);
  const { control } = entry;
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
  else if (hand.isOpen) hand.uncalled.add(started, started.entry.job.rank);
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

const release = async ({ options }: Hand, job: HeldJob, why: string): Promise<AttemptEnd> => {
  const ports = options.ports();
  const now = ports.clock.now();
  const written = await report(ports, job, { _tag: 'ReleaseClaim', token: job.token, now, why });
  if (written._tag === 'Right') return 'released';
  return job.state._tag === 'Cancelled' ? 'cancelled' : 'lost';
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
  for (const job of waiting) keys.drop(job.dedupKey);
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

const SOON_MS = 5;

/** Also of what trips that were under way still bring: whoever waits has to bound it. */
const closeForGood = async (hand: Hand, why: string): Promise<void> => {
  for (;;) {
    await close(hand, why);
    const isGivenBack = [...hand.active].every(({ running }) => running !== undefined);
    if (isGivenBack && hand.starting === 0 && hand.expected === 0 && hand.stock.size() === 0) return;
    await pause(SOON_MS);
  }
};

const strayIn = (hand: Hand): Stray => {
  const culprit = culpritOf(hand);
  const why = 'its runner is ended by an error that nobody waited for';
  return {
    words: strayInWords(hand, culprit),
    spare: async () => {
      const beside = [...hand.active].filter((entry) => entry !== culprit && entry.running !== undefined);
      const spared = culprit === undefined ? [] : beside.map((entry) => giveBack(hand, entry, why));
      await Promise.all([closeForGood(hand, why), ...spared]);
    },
  };
};

const forsake = (hand: Hand, reason: unknown): void => {
  takeStock(hand);
  for (const { entry } of hand.uncalled.takeAll()) drop(hand, entry);
  for (const { control } of hand.active) control.abort.fire(reason);
};
