/** What a runner is given. Durations are milliseconds. */
import type { Runner } from '../../domain/job/facts.js';
import type { JsonObject } from '../../domain/json.js';
import type { EventStore } from '../../domain/ports.js';
import type { ProgressBoard } from '../../projections/progress.js';
import type { ClaimDesk, QueueScope, RunnerPresence } from '../../projections/ports.js';
import type { LedgerClock } from '../clock.js';
import type { Handler } from '../define-job.js';
import type { HandlersLedger } from '../library/asking.js';
import type { EndCounts } from './hand.js';

export interface WorkerOptions {
  readonly handlers: readonly Handler[];
  readonly scope: QueueScope;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly graceMs: number;
  readonly pollMs: number;
  readonly misfireToleranceMs: number;
  /** Ends when nothing is ready, nothing runs, and no expired claim is left. */
  readonly drain: boolean;
}

export interface WorkerDependencies {
  readonly store: Pick<EventStore, 'append' | 'readStreams'>;
  readonly claimDesk: ClaimDesk;
  readonly presence: RunnerPresence;
  readonly board: Pick<ProgressBoard, 'tell'>;
  readonly clock: LedgerClock;
  /** Who this process is: host, ip, instance; the id is the tenure's. */
  readonly identity: () => Runner;
  readonly tellStarted: (runner: Runner) => Promise<void>;
  readonly tellStopped: (runner: Runner, how: 'drained' | 'lost') => Promise<void>;
  readonly enqueueChildren: (children: readonly JsonObject[]) => Promise<void>;
  /** What handlers are given of the ledger. */
  readonly handlersLedger: HandlersLedger;
  /** Called while the database does not answer: it may be found elsewhere. */
  readonly findServer: () => Promise<void>;
  /** Makes ready what lost runners left behind; how many jobs that were. */
  readonly recover: () => Promise<number>;
  /** True where anyone but this runner may hold a claim that could expire. */
  readonly othersMayHold: (runnerId: string) => Promise<boolean>;
  readonly log: (line: string) => void;
}

export interface WorkSummary extends EndCounts {
  readonly superseded: number;
}
