/** What the measured programs are told and what they tell. Times are milliseconds on the machine's monotonic clock. */

export interface BenchJob {
  /** From 0; below 0 it is not counted: it only shows that the worker is there. */
  readonly n: number;
  /** When the call that enqueues it began. */
  readonly at: number;
  readonly text: string;
}

export type Task =
  /** The schema, and the queue where the system wants one. */
  | { readonly kind: 'set-up' }
  /** As many as go through in the time. `perCall` above 1 is the call for many. */
  | {
      readonly kind: 'rate';
      readonly callers: number;
      readonly perCall: number;
      readonly milliseconds: number;
    }
  | { readonly kind: 'fill'; readonly jobs: number; readonly from: number }
  /** Open loop: a job is sent at its time, whatever became of those before. `warmUp` jobs, not counted, go first. */
  | {
      readonly kind: 'pace';
      readonly jobs: number;
      readonly warmUp: number;
      readonly perSecond: number;
    };

export interface TaskReport {
  readonly kind: 'task';
  readonly jobs: number;
  readonly milliseconds: number;
}

export type Message =
  | TaskReport
  /** The first handler has been called. */
  | { readonly kind: 'first'; readonly at: number }
  /** As many counted handlers as were expected have been called; how long each job had been under way, where that was asked for. */
  | { readonly kind: 'last'; readonly at: number; readonly latencies: readonly number[] };

/** Handed to the program that enqueues, as JSON. */
export interface ProducerOrder {
  readonly system: string;
  readonly url: string;
  readonly settings: SystemSettings;
  readonly tasks: readonly Task[];
}

/** Handed to the program that works, as JSON in BENCH_OBSERVE. */
export interface ObserverOrder {
  readonly expected: number;
  readonly keepsLatencies: boolean;
}

/** Options as the system's own documentation names them. */
export interface SystemSettings {
  /** jobledger: where its library is, and over how many types its jobs are spread (default: one). */
  readonly library?: string;
  readonly types?: number;
  /** graphile-worker: the `worker` section of its preset. */
  readonly preset?: Readonly<Record<string, unknown>>;
  /** pg-boss: constructor, queue and worker. */
  readonly boss?: Readonly<Record<string, unknown>>;
  readonly queue?: Readonly<Record<string, unknown>>;
  readonly work?: Readonly<Record<string, unknown>>;
}

export interface Producer {
  readonly enqueue: (job: BenchJob) => Promise<unknown>;
  readonly enqueueMany: (jobs: readonly BenchJob[]) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** What a program of `programs/` has to export for a system. jobledger's worker is its own command. */
export interface System {
  readonly setUp: (url: string, settings: SystemSettings) => Promise<void>;
  readonly openProducer: (url: string, settings: SystemSettings) => Promise<Producer>;
  readonly work?: (url: string, settings: SystemSettings, run: (job: BenchJob) => void) => Promise<void>;
}
