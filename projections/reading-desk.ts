/** The door to what people read: queues, jobs, attempts and their traces, as far as the tables have been brought. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../domain/errors.js';
import type { Revision } from '../domain/ledger.js';

export interface QueueSizes {
  /** Due, unclaimed. */
  readonly ready: number;
  readonly delayed: number;
  readonly claimed: number;
  readonly abandoned: number;
}

export interface SizedQueue extends QueueSizes {
  readonly wiki: string;
  readonly type: string;
}

/** Undefined: every one. */
export interface QueueFilter {
  readonly wiki?: string | undefined;
  readonly type?: string | undefined;
}

export interface QueueView extends SizedQueue {
  readonly succeeded: number;
  /** Attempts that failed; their jobs may have succeeded since. */
  readonly failed: number;
  readonly suppressed: number;
  readonly superseded: number;
  readonly enqueued: number;
  readonly retried: number;
  readonly cancelled: number;
  readonly oldestReadyAt: string | null;
  readonly lagSeconds: number;
}

/** A row of `job_execution_log` (seed 003): members are the table's own columns; times are UTC. */
export interface Execution {
  readonly id: string;
  readonly job_name: string;
  readonly task_id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly sharding_item: number;
  readonly execution_source: string;
  readonly failure_cause: string | null;
  readonly is_success: boolean;
  readonly start_time: string;
  readonly complete_time: string | null;
}

export interface ExecutionFilter {
  readonly jobName?: string | undefined;
  readonly failed?: boolean | undefined;
  /** ISO-8601 UTC. */
  readonly since?: string | undefined;
}

/** A row of `job_status_trace_log` (seed 003): members are the table's own columns; times are UTC. */
export interface TraceRow {
  readonly id: string;
  readonly job_name: string;
  readonly original_task_id: string;
  readonly task_id: string;
  readonly slave_id: string;
  readonly execution_type: string;
  readonly sharding_item: string;
  readonly state: string;
  readonly message: string;
  readonly creation_time: string;
  readonly source: string;
}

/** As MediaWiki tells jobs of its `job` table apart. */
export const STATUSES = ['unclaimed', 'delayed', 'claimed', 'abandoned'] as const;
export type Status = (typeof STATUSES)[number];

export interface JobsAsked {
  readonly type: string;
  readonly status: Status;
  readonly wiki?: string | undefined;
  readonly limit?: number | undefined;
}

/** A row of the `job` table. */
export interface JobRow {
  readonly number: string;
  readonly type: string;
  readonly namespace: number;
  readonly title: string;
  /** `YYYY-MM-DD HH:MM:SS+00`. */
  readonly timestamp: string;
  /** PHP serialisation. */
  readonly params: Buffer;
}

export interface NumberedJob {
  readonly number: string;
  readonly jobId: string;
}

/** A job by its id, or by its number. */
export type JobKey = { readonly jobId: string } | { readonly number: bigint };

/** A job whose stream went to an archive. `entry`: revision of the event that tells of it, in the stream of the ledger. */
export interface PrunedEntry {
  readonly jobId: string;
  readonly entry: Revision;
}

/** Takes a page of a long answer; false: no further page is wanted. */
export type OnPage<Row> = (rows: readonly Row[]) => Promise<boolean>;

export interface ReadingDesk {
  /** What each queue holds and has seen, and how long its oldest ready job has waited. */
  readonly queueViews: () => TaskEither<StoreError, readonly QueueView[]>;
  /** Of each queue that ever had a job. */
  readonly queueSizes: (filter: QueueFilter) => TaskEither<StoreError, readonly SizedQueue[]>;
  /** Attempts, oldest first. Gives the number handed over. */
  readonly executions: (filter: ExecutionFilter, onPage: OnPage<Execution>) => TaskEither<StoreError, number>;
  /** What became of one task, in the order of its life. The task by its whole id, or by the attempt's own id at its end. */
  readonly trace: (task: string) => TaskEither<StoreError, readonly TraceRow[]>;
  /** Jobs of one type and status, in the order of their numbers. Gives the number handed over. */
  readonly jobs: (asked: JobsAsked, onPage: OnPage<JobRow>) => TaskEither<StoreError, number>;
  /** Abandoned jobs behind this number, lowest first. */
  readonly abandoned: (
    filter: QueueFilter,
    after: string,
    limit: number,
  ) => TaskEither<StoreError, readonly NumberedJob[]>;
  /** Ids of the claimed jobs, those held longest first. */
  readonly heldLongest: (most: number) => TaskEither<StoreError, readonly string[]>;
  /** The id of the job with this number, from the `job` table or this database's history. */
  readonly jobNumbered: (number: bigint) => TaskEither<StoreError, string | undefined>;
  /** The last to be pruned that has this id or number. */
  readonly prunedEntry: (key: JobKey) => TaskEither<StoreError, PrunedEntry | undefined>;
  /** Of these jobs those that were pruned, each with the revision, in the stream `ledger`, of the event that tells of it last. */
  readonly prunedAmong: (jobIds: readonly string[]) => TaskEither<StoreError, ReadonlyMap<string, Revision>>;
  /** Other jobs that have one of these jobs' numbers, from the same two places. */
  readonly namesakes: (jobs: readonly NumberedJob[]) => TaskEither<StoreError, readonly NumberedJob[]>;
}
