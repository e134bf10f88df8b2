/**
 * Doors to the tables that commands and runners look things up in. What they answer are hints: whoever acts on one proves it against
 * the stream's revision.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../domain/errors.js';
import type { Position, Revision } from '../domain/ledger.js';
import type { EventStore } from '../domain/ports.js';
import type { QueueName, Scope } from '../domain/queue/scope.js';
import type { QueueOrder, ScopeSettings } from '../domain/queue/settings.js';
import type { RootState } from './root-job.js';

export interface DedupKey {
  readonly wiki: string;
  readonly type: string;
  readonly sha1: string;
}

export interface Family {
  readonly wiki: string;
  readonly type: string;
  readonly signature: string;
}

/** An equal job that has succeeded: `position` is where that attempt began in the history. */
export interface ExecutedEqual {
  readonly jobId: string;
  readonly position: Position;
  readonly rootTimestamp: string | undefined;
}

export interface FamilyRoot {
  readonly jobId: string;
  readonly timestamp: string;
  readonly state: RootState;
}

/** Answers come in the order of the questions. */
export interface JobIndex {
  /** Waiting, never claimed jobs with this key, lowest number first, at most five. */
  readonly survivors: (keys: readonly DedupKey[]) => TaskEither<StoreError, readonly (readonly string[])[]>;
  /** The latest begun of the equal jobs that have succeeded. */
  readonly executedEquals: (
    keys: readonly DedupKey[],
  ) => TaskEither<StoreError, readonly (ExecutedEqual | undefined)[]>;
  /** Roots of the family, latest timestamp first, at most five. */
  readonly newestRoots: (
    families: readonly Family[],
  ) => TaskEither<StoreError, readonly (readonly FamilyRoot[])[]>;
  /** Behind each of these positions: one before which, as far as is known without looking far, no attempt began. */
  readonly quietUntil: (positions: readonly Position[]) => TaskEither<StoreError, readonly Position[]>;
  /** The latest timestamp of the family's roots that have begun, or have succeeded. */
  readonly newestBegun: (
    families: readonly Family[],
  ) => TaskEither<StoreError, readonly (string | undefined)[]>;
  /** For ids that producers chose: the survivor that an enqueue under this id was answered with. */
  readonly suppressedIds: (
    jobIds: readonly string[],
  ) => TaskEither<StoreError, readonly (string | undefined)[]>;
  /** Of ids that producers chose those that cannot be a job's any more: it was pruned, and its stream cannot begin anew. */
  readonly spentIds: (jobIds: readonly string[]) => TaskEither<StoreError, ReadonlySet<string>>;
  /** Job numbers (`job_id`) from the one sequence of the ledger, rising. */
  readonly drawNumbers: (count: number) => TaskEither<StoreError, readonly bigint[]>;
  /** The ledger's clock. ISO-8601 UTC. */
  readonly now: () => TaskEither<StoreError, string>;
}

export interface Pause {
  readonly scope: Scope;
  /** ISO-8601 UTC. */
  readonly since: string;
  readonly by: string;
  readonly why: string;
}

/** What operators have decided about queues and not taken back, by wiki and type. */
export interface QueueDecisions {
  readonly settings: readonly ScopeSettings[];
  readonly pauses: readonly Pause[];
}

export interface QueueBook {
  readonly decisions: () => TaskEither<StoreError, QueueDecisions>;
}

/** A queue that has ready jobs and is not paused. */
export interface ReadyQueue {
  /** As the rows have it: ranks of jobs' own classes, or `OF_ITS_QUEUE`. All are of the class in force. */
  readonly places: readonly number[];
  /** Rank of the class in force: a smaller one goes first. */
  readonly class: number;
  readonly wiki: string;
  readonly type: string;
  readonly weight: number;
  readonly order: QueueOrder;
  /** True where limits are set somewhere: then they are looked at with each pick. */
  readonly mayBeLimited: boolean;
}

export interface QueueScope {
  /** Undefined: every type. */
  readonly types: readonly string[] | undefined;
  readonly wikis: readonly string[] | undefined;
}

/** Where a job stands in its queue. */
export interface QueuePosition {
  readonly priority: number;
  readonly number: bigint;
}

export interface Pick {
  readonly queue: ReadyQueue;
  readonly limit: number;
  /** Low-water mark: what stands before it is known to be gone. */
  readonly from?: QueuePosition | undefined;
}

export interface PickedJob {
  readonly jobId: string;
  readonly revision: Revision;
}

export interface PlacedJob extends PickedJob, QueuePosition {
  /** Index of the pick that gave it. */
  readonly pick: number;
}

/** A short transaction in which the picked rows belong to the caller. */
export interface ClaimSession {
  readonly picked: readonly PickedJob[];
  readonly now: string;
  readonly store: SomeOf<EventStore, 'append' | 'readStreams'>;
  readonly index: JobIndex;
  /** The rows may be older than their streams, as a matter of course: one whose job is gone is worth no word. */
  readonly isBehind?: true;
  /** A row that its stream has overtaken: corrected to the stream's state, or removed. */
  readonly dropStale: (jobIds: readonly string[]) => TaskEither<StoreError, void>;
}

/** A claim that counts under limits. `items`: its work items. */
export interface LimitedClaim extends QueueName {
  readonly jobId: string;
  readonly items: number;
}

/** A queue that limits left nothing of. */
export interface HeldBack {
  /** Index of the pick. */
  readonly pick: number;
  /** When there will be room; undefined where that is when a job ends. */
  readonly inMs: number | undefined;
}

export interface PickSession extends ClaimSession {
  readonly heldBack: readonly HeldBack[];
  /** Some limit waits for `openLimits`. */
  readonly isIncomplete: boolean;
  /** Counts what was claimed under the limits; undefined where none hold. */
  readonly charge: ((claims: readonly LimitedClaim[]) => TaskEither<StoreError, void>) | undefined;
  readonly picked: readonly PlacedJob[];
  /** How long the pick took, in milliseconds. */
  readonly pickMs: number;
}
type SomeOf<T, K extends keyof T> = { readonly [P in K]: T[P] };

export interface ClaimDesk {
  /** Queues that hold ready jobs and are not paused. Moves what has fallen due from `delayed_job` first. */
  readonly readyQueues: (scope: QueueScope) => TaskEither<StoreError, readonly ReadyQueue[]>;
  /** Whether any queue in scope holds ready jobs, paused or not. */
  readonly hasReady: (scope: QueueScope) => TaskEither<StoreError, boolean>;
  /** The longest that the heads of these queues have waited, in milliseconds. */
  readonly longestWait: (queues: readonly ReadyQueue[]) => TaskEither<StoreError, number>;
  /** Picks from the queues in the order given, skipping what others hold, and gives the rows up again at the end. */
  readonly withPicked: <A>(
    picks: readonly Pick[],
    use: (session: PickSession) => Promise<A>,
  ) => TaskEither<StoreError, A>;
  /** Lets jobs that were claimed before there was a limit count under it. */
  readonly openLimits: () => TaskEither<StoreError, void>;
  /** When the next delayed job in scope falls due, or undefined. */
  readonly nextDue: (scope: QueueScope) => TaskEither<StoreError, string | undefined>;
}

/** Operational: one row a runner, derived from nothing. */
export interface RunnerPresence {
  readonly arrive: (runner: {
    readonly id: string;
    readonly host: string;
    readonly leaseMs: number;
    /** By how much the database's clock is ahead of the runner's machine: shown, and nothing else. */
    readonly clockOffsetMs?: number;
  }) => TaskEither<StoreError, void>;
  /** False where the runner has been declared lost: it goes on under a new id. Touches only a row not so marked. */
  readonly renew: (
    runnerId: string,
    leaseMs: number,
    clockOffsetMs?: number,
  ) => TaskEither<StoreError, boolean>;
  readonly leave: (runnerId: string) => TaskEither<StoreError, void>;
  /** Marks overdue runners lost, in one statement. Forgets those that were a minute after their last claim ended. */
  readonly markLost: () => TaskEither<StoreError, LostRunners>;
}

export interface LostRunners {
  /** Ids newly marked. */
  readonly newly: readonly string[];
  /** True while a runner that was lost, now or before, may have left claims behind. */
  readonly isAny: boolean;
}

export interface ExpiredClaim {
  readonly jobId: string;
  readonly token: string;
  readonly renewedUntil: string | undefined;
}

export interface ClaimWatch {
  /** Claims whose lease and whose runner's renewal have both passed, by job id, behind `after`. */
  readonly expired: (
    after: string | undefined,
    limit: number,
  ) => TaskEither<StoreError, { readonly now: string; readonly claims: readonly ExpiredClaim[] }>;
  /** True where anyone but this runner may hold a claim, as far as the tables know. */
  readonly othersMayHold: (runnerId: string) => TaskEither<StoreError, boolean>;
}
