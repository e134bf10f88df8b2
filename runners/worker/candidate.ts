/** A job that may be claimed, and what claims are made with. */
import type { Runner } from '../../domain/job/facts.js';
import type { Waiting } from '../../domain/job/state.js';
import type { Position } from '../../domain/ledger.js';
import type { Handler } from '../define-job.js';
import type { KeyCounter } from './key-counter.js';

/** Keys of the jobs in this runner's hands: a twin of one of them waits, since it may soon be covered. */
export type HeldKeys = Pick<KeyCounter, 'watch' | 'hold' | 'drop'>;

export interface ClaimOptions {
  readonly runner: Runner;
  /** Of the class that is picked for: jobs of smaller ones are started first. */
  readonly rank: number;
  readonly leaseMs: number;
  /** Where each type has its own: of jobs of this one. */
  readonly leaseMsOf?: (type: string) => number;
  /** How many of the claims have a slot, or will have one before the next trip is over: these are started in the same append. */
  readonly startable: number;
  readonly misfireToleranceMs: number;
  /** Claims wanted; more rows are picked where twins that wait stand in front. */
  readonly most: number;
  readonly handlerOf: (type: string) => Handler | undefined;
  readonly keys: HeldKeys;
  /** True where an earlier attempt of the job has not come to its end in this runner's hands, whoever has the claim by now. */
  readonly isStillRun?: (jobId: string) => boolean;
  readonly lost: AbortSignal;
  readonly log: (line: string) => void;
}

/** A waiting job with what was read of it. */
export interface Candidate {
  readonly jobId: string;
  readonly state: Waiting;
  /** Where in the history stands what last asked for this work. */
  readonly wantedAt: Position;
  readonly handler: Handler;
}

export const dedupKeyOf = ({ job: { enqueued } }: { readonly job: Waiting['job'] }): string =>
  `${enqueued.wiki}\n${enqueued.type}\n${enqueued.dedup.sha1}`;

export const ignoresDuplicates = ({ state, handler }: Pick<Candidate, 'state' | 'handler'>): boolean =>
  state.job.ignoreDuplicates || handler.ignoreDuplicates;

export const mayBeCovered = (candidate: Candidate): boolean =>
  ignoresDuplicates(candidate) || candidate.state.job.root !== undefined;
