/** The library: what a program gets from `openLedger`. Everything that can fail gives a `TaskEither` of tagged errors. */
import * as E from 'fp-ts/lib/Either.js';
import type * as T from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { ledgerClosed } from '../../domain/errors.js';
import { isoOf } from '../../domain/instant.js';
import { newRootJobParams as rootParams } from '../../domain/job/root.js';
import type { JsonObject } from '../../domain/json.js';
import { sha1Hex } from '../../adapters/system.js';
import { openLedger as open, type Ledger as Site, type OpenFailed } from '../ledger.js';
import { handlersLedger, type HandlersLedger } from './asking.js';
import { closing, type Closing } from './closing.js';
import { onClient, type OnClient } from './on-client.js';
import { handlersOf } from '../define-job.js';
import { LedgerError, orThrow } from './promised.js';
import { callable, count, flag, insist, requestFlaw, texts, words } from './request.js';
import {
  jobQueueGroupFactory,
  type JobQueueGroupFactory,
  type JobQueueGroupOptions,
} from './queues/job-queue-group-factory.js';
import { queueStorage, type QueueStorage } from './queues/queue-storage.js';
import { startWork, type RunningWork, type WorkOptions } from '../work.js';

/** What is undefined is the default. `JOBLEDGER_*` variables and `jobledger.config.json` are for the command line: nothing here reads them. */
export interface LedgerOptions {
  /** PostgreSQL 14 or newer. Default: an embedded one under `home`. */
  readonly databaseUrl?: string | undefined;
  /** `esdb://…`: an EventStoreDB that keeps the history. Default: beside the tables. */
  readonly eventstoreUrl?: string | undefined;
  /** Name of the ledger there. Default: `jobledger`. */
  readonly ledger?: string | undefined;
  /** Folder of the embedded PostgreSQL. Default `.jobledger`. */
  readonly home?: string | undefined;
  /** Default `jobledger`. */
  readonly schema?: string | undefined;
  /** Who writes, as the events tell. Default `library`. */
  readonly by?: string | undefined;
  /** Told what takes long: the first start of the embedded server. Default: nobody. */
  readonly report?: ((line: string) => void) | undefined;
}

export interface WorkRequest extends Omit<WorkOptions, 'log'> {
  /** Told a line of what a person should know, and what handlers log. Default: nobody. */
  readonly log?: WorkOptions['log'] | undefined;
}

export interface Ledger extends HandlersLedger {
  /** A runner in this process. Throws a TypeError for options that cannot be, and where the ledger is closed. */
  readonly work: (options: WorkRequest) => RunningWork;
  /**
   * Enqueues in the transaction that is open on your own client, connected to the ledger's database: the jobs are there when you
   * commit, and only then. However long it is open, it holds up nobody.
   */
  readonly onClient: (client: pg.ClientBase) => OnClient;
  /** What queue groups ask of this ledger. */
  readonly queueStorage: QueueStorage;
  /**
   * Writes what was pushed lazily, stops the runners that work here, waits for both, and ends the connections. What could not be written is
   * told to `onUnwritten`.
   */
  readonly close: T.Task<void>;
}

const silence = (): void => undefined;

const OPEN = {
  databaseUrl: words,
  eventstoreUrl: words,
  ledger: words,
  home: words,
  schema: words,
  by: words,
  report: callable,
};

const WORK = {
  handlers: (value: unknown) => (Array.isArray(value) ? undefined : 'is not an array of handlers'),
  types: texts,
  wikis: texts,
  concurrency: count,
  leaseMs: count,
  heartbeatMs: count,
  graceMs: (value: unknown) => (value === 0 ? undefined : count(value)),
  pollMs: count,
  reaperTickMs: count,
  drain: flag,
  log: callable,
};

/** A runner that could not work is a mistake of the program, and thrown at once. */
const checkedWork = (options: WorkRequest): WorkOptions => {
  insist(requestFlaw('work', options, WORK, ['handlers']));
  const handlers = handlersOf(options.handlers);
  if (E.isLeft(handlers)) throw new TypeError(`work: ${handlers.left}`);
  return { ...options, log: options.log ?? silence, handlers: handlers.right };
};

/** Ends before the ledger does. */
const workUntilClosed = (site: Site, options: WorkOptions, { before }: Closing): RunningWork => {
  const work = startWork(site, options);
  const forget = before(() => {
    work.stop();
    return work.done;
  });
  work.done.then(forget, forget);
  return work;
};

const ledgerOf = (site: Site): Ledger => {
  const ending = closing(site.close);
  const insistOpen = (asked: string): void =>
    insist(ending.isClosed() ? `${asked}: ${ledgerClosed.message}` : undefined);
  return {
    ...handlersLedger(site),
    work: (options) => {
      insistOpen('work');
      return workUntilClosed(site, checkedWork(options), ending);
    },
    onClient: (client) => {
      insistOpen('onClient');
      return onClient(site, client);
    },
    queueStorage: queueStorage(site, ending.before),
    close: ending.close,
  };
};

/** Opens a ledger: starts the embedded PostgreSQL where no URL is given, and brings the schema up to date. */
export const openLedger = (options: LedgerOptions = {}): TE.TaskEither<OpenFailed, Ledger> => {
  const flaw = requestFlaw('openLedger', options, OPEN);
  if (flaw !== undefined) return TE.left({ _tag: 'OpenFailed', message: flaw });
  return TE.map(ledgerOf)(
    open({
      databaseUrl: options.databaseUrl,
      home: options.home ?? '.jobledger',
      schema: options.schema ?? 'jobledger',
      eventstoreUrl: options.eventstoreUrl,
      ledger: options.ledger,
      by: options.by ?? 'library',
      report: options.report ?? silence,
    }),
  );
};

/** The same, for those who prefer promises: what would be a left is thrown as a `LedgerError`. */
export const promises = {
  openLedger: (options?: LedgerOptions): Promise<Ledger> => orThrow(openLedger(options)),
  jobQueueGroupFactory: (options: JobQueueGroupOptions): JobQueueGroupFactory => {
    const factory = jobQueueGroupFactory(options);
    if (E.isLeft(factory)) throw new LedgerError(factory.left);
    return factory.right;
  },
};

/** The three params that make a job a root of the family named by `key`, dated now. */
export const newRootJobParams = (key: string): JsonObject => {
  const flaw = words(key);
  insist(
    flaw === undefined ? undefined : `newRootJobParams: the key ${flaw}; it names what the root is about`,
  );
  return rootParams(key, sha1Hex, isoOf(Date.now()));
};
