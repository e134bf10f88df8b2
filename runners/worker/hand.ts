/** What a runner has in hand, all that changes of it in one place, and how much more it can take. */
import type { Handler } from '../define-job.js';
import type { AttemptControl, AttemptEnd, AttemptPorts, StartedAttempt } from './attempt.js';
import type { HeldJob } from './holding.js';
import { Interruption } from './interruption.js';
import { keyCounter, type KeyCounter } from './key-counter.js';
import { measuredPace, type Pace } from './pace.js';
import { queueOf, type Queue } from './queue.js';
import { measuredTempo, type Tempo } from './tempo.js';

export type EndCounts = Record<AttemptEnd, number>;

export interface SlotsOptions {
  readonly concurrency: number;
  readonly handlerOf: (type: string) => Handler | undefined;
  readonly ports: () => AttemptPorts;
  /** This job is in hand no more. */
  readonly onChange: (job: HeldJob) => void;
}

/** Starts that are written ahead of their slots, at most. */
const MOST_AHEAD = 400;
/** Claims that wait for their start, at most. */
const MOST_STOCKED = 500;

export interface Active {
  readonly job: HeldJob;
  readonly isSuspect: boolean;
  readonly control: AttemptControl;
  /** Set while its handler or its report is under way. */
  running?: Promise<void>;
}

/** Started, and waiting for its slot. */
export interface Uncalled {
  readonly attempt: StartedAttempt;
  readonly entry: Active;
}

/** All that changes, in one place. */
export interface Hand {
  readonly options: SlotsOptions;
  readonly pace: Pace;
  readonly tempo: Tempo;
  readonly counts: EndCounts;
  readonly keys: KeyCounter;
  readonly stock: Queue<HeldJob>;
  readonly uncalled: Queue<Uncalled>;
  readonly active: Set<Active>;
  /** Claims asked for and not answered yet. */
  expected: number;
  starting: number;
  busy: number;
  /** Jobs in hand that lost a lease before: one of them may be what ends processes. */
  suspects: number;
  isOpen: boolean;
  /** The last that ended: what it left behind, such as a timer, may still fail. */
  latest: Active | undefined;
}

export const emptyHand = (options: SlotsOptions): Hand => ({
  options,
  pace: measuredPace(),
  tempo: measuredTempo(),
  counts: { succeeded: 0, failed: 0, refused: 0, lost: 0, released: 0, cancelled: 0, snoozed: 0 },
  keys: keyCounter(),
  stock: queueOf(),
  uncalled: queueOf(),
  active: new Set(),
  expected: 0,
  starting: 0,
  busy: 0,
  suspects: 0,
  isOpen: true,
  latest: undefined,
});

export const occupied = ({ busy, starting, uncalled }: Hand): number => busy + starting + uncalled.size();

const isSuspect = ({ state }: HeldJob): boolean => state.job.losses > 0;

/** How many starts may be written ahead: as many as the slots can call while a trip is under way, and none beside a suspect. */
const ahead = ({ options, suspects, tempo }: Hand): number =>
  suspects > 0 ? 0 : Math.min(MOST_AHEAD, tempo.callsPerTrip(options.concurrency));

const room = (hand: Hand): number =>
  Math.max(0, hand.options.concurrency + ahead(hand) - occupied(hand) - hand.expected);

/** A suspect is started into a free slot only: what is counted then has been called. */
export const mayStart = (hand: Hand, job: HeldJob): boolean =>
  isSuspect(job) ? occupied(hand) < hand.options.concurrency : room(hand) > 0;

/** How many further claims could be started at once. */
export const startable = (hand: Hand): number => Math.max(0, room(hand) - hand.stock.size());

/**
 * How many claims to ask for now; 0 while there is no need. What is wanted is the room there is, and for handlers that take longer than
 * a trip what will be started within a second at the pace measured; it is asked for when half of it is missing.
 */
export const wanted = (hand: Hand): number => {
  if (isBrief(hand)) return briefWanted(hand);
  const target = room(hand) + Math.min(MOST_STOCKED, Math.floor(hand.pace.perSecond()));
  const missing = target - hand.stock.size();
  return missing > 0 && missing * 2 >= target ? missing : 0;
};

/** Handlers so short that a slot could call as many in a trip as may be started ahead: nothing waits but for the database. */
export const isBrief = (hand: Hand): boolean => ahead(hand) === MOST_AHEAD;

/** Half of what there is room for at a time, so that one trip brings claims while those of another are worked. */
const briefWanted = (hand: Hand): number => {
  const half = Math.ceil((hand.options.concurrency + MOST_AHEAD) / 2);
  return startable(hand) >= half ? half : 0;
};

export const enter = (hand: Hand, job: HeldJob): Active => {
  const control = { abort: new Interruption(), isInterrupted: false, isReported: false };
  const entry: Active = { job, control, isSuspect: isSuspect(job) };
  hand.active.add(entry);
  if (entry.isSuspect) hand.suspects += 1;
  return entry;
};

/** What is being reported has come to its end. */
export const isStillRun = ({ active }: Hand, jobId: string): boolean => {
  for (const { job, control } of active) if (job.jobId === jobId && !control.isReported) return true;
  return false;
};

export const drop = (hand: Hand, entry: Active): void => {
  hand.active.delete(entry);
  if (entry.isSuspect) hand.suspects -= 1;
  hand.keys.drop(entry.job.dedupKey);
  hand.options.onChange(entry.job);
};

export const done = (hand: Hand, entry: Active, end: AttemptEnd): void => {
  if (!hand.active.has(entry)) return;
  hand.counts[end] += 1;
  hand.latest = entry;
  drop(hand, entry);
};
