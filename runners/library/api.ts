/** The library: what a program gets from `openLedger`. Everything that can fail gives a `TaskEither` of tagged errors. */
import * as E from 'fp-ts/lib/Either.js';
import type * as T from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import { isoOf } from '../../domain/instant.js';
import { newRootJobParams as rootParams } from '../../domain/job/root.js';
import type { JsonObject } from '../../domain/json.js';
import { sha1Hex } from '../../adapters/system.js';
import type { JobSpecification } from '../../domain/job/specification.js';
import type { ExistingJob } from '../../domain/job/state.js';
import { jobStream, type RecordedEvent } from '../../domain/ledger.js';
import { catchUpProjections } from '../../projections/index.js';
import type { EnqueueAnswer, EnqueueError, EnqueueOutcome } from '../producer/enqueueing.js';
import type { JobNotFound } from './error-sentences.js';
import { loadJob } from '../streams/job-streams.js';
import { openLedger as open, type Ledger as Site, type OpenFailed } from '../ledger.js';
import { orThrow, promised, type PromisedApi } from './promised.js';
import { startWork, type RunningWork, type WorkOptions } from '../work.js';

export interface LedgerOptions {
  /** PostgreSQL 14 or newer. Default: an embedded one under `home`. */
  readonly databaseUrl?: string;
  /** Folder of the embedded PostgreSQL. Default `.jobledger`. */
  readonly home?: string;
  /** Default `jobledger`. */
  readonly schema?: string;
  /** Who writes, as the events tell. Default `library`. */
  readonly by?: string;
  /** Told what takes long: the first start of the embedded server. Default: nobody. */
  readonly report?: (line: string) => void;
}

interface Asking {
  /** One job. Concurrent calls share their trips to the database. */
  readonly enqueue: (specification: JobSpecification) => TE.TaskEither<EnqueueError, EnqueueOutcome>;
  /** The job as its history tells. */
  readonly job: (jobId: string) => TE.TaskEither<StoreError | JobNotFound, ExistingJob>;
  /** Every event of the job, in order. */
  readonly history: (jobId: string) => TE.TaskEither<StoreError | JobNotFound, readonly RecordedEvent[]>;
  /** Brings the catch-up tables to the end of history as it is now. */
  readonly project: () => TE.TaskEither<StoreError, void>;
}

export interface Ledger extends Asking {
  /** Many jobs: an answer each, in their order. Bad ones cost the good ones nothing. */
  readonly enqueueAll: (specifications: readonly JobSpecification[]) => T.Task<readonly EnqueueAnswer[]>;
  /** A runner in this process. */
  readonly work: (options: Omit<WorkOptions, 'log'> & Partial<Pick<WorkOptions, 'log'>>) => RunningWork;
  readonly close: T.Task<void>;
  /** The same with promises; what would be a left is thrown as a `LedgerError`. */
  readonly promises: PromisedApi<Asking>;
}

const silence = (): void => undefined;

const asking = (site: Site): Asking => ({
  enqueue: (specification) => () => site.producer.enqueue(specification),
  job: (jobId) => async () => {
    const state = await loadJob(site.store, jobId);
    if (E.isLeft(state)) return state;
    return state.right._tag === 'None' ? E.left({ _tag: 'JobNotFound', jobId }) : E.right(state.right);
  },
  history: (jobId) => async () => {
    const events = await site.store.readStream(jobStream(jobId))();
    if (E.isLeft(events)) return events;
    return events.right.length === 0 ? E.left({ _tag: 'JobNotFound', jobId }) : events;
  },
  project: () => TE.map(() => undefined)(site.catchUp(catchUpProjections)),
});

const ledgerOf = (site: Site): Ledger => {
  const api = asking(site);
  return {
    ...api,
    enqueueAll: (specifications) => () => site.producer.enqueueAll(specifications),
    work: (options) => startWork(site, { log: silence, ...options }),
    close: site.close,
    promises: promised(api),
  };
};

/** Opens a ledger: starts the embedded PostgreSQL where no URL is given, and brings the schema up to date. */
export const openLedger = (options: LedgerOptions = {}): TE.TaskEither<OpenFailed, Ledger> =>
  TE.map(ledgerOf)(
    open({
      databaseUrl: options.databaseUrl,
      home: options.home ?? '.jobledger',
      schema: options.schema ?? 'jobledger',
      by: options.by ?? 'library',
      report: options.report ?? silence,
    }),
  );

/** `openLedger` as a promise, thrown as a `LedgerError` where it fails. */
export const promises = {
  openLedger: (options?: LedgerOptions): Promise<Ledger> => orThrow(openLedger(options)),
};

/** The three params that make a job a root of the family named by `key`, dated now. */
export const newRootJobParams = (key: string): JsonObject => rootParams(key, sha1Hex, isoOf(Date.now()));
