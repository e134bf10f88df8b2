/** The composition: one ledger on one PostgreSQL, everything a program needs of it, put together once. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { startEmbedded } from '../adapters/embedded/index.js';
import { connect, reservedPool } from '../adapters/postgres/connection.js';
import { postgresEnqueueAtCommit } from '../adapters/postgres/enqueue-at-commit.js';
import { settleHistory } from '../adapters/postgres/history-elsewhere.js';
import { housekeeping } from '../adapters/postgres/housekeeping.js';
import { postgresReadingDesk } from '../adapters/postgres/reading/reading-desk.js';
import { postgresQueueBook } from '../adapters/postgres/queue-book.js';
import { postgresJobIndex } from '../adapters/postgres/job-index.js';
import { migrate } from '../adapters/postgres/migrate.js';
import { postgresProgressBoard } from '../adapters/postgres/progress-board.js';
import { catchUp, keepUp, type ProjectionStatus } from '../adapters/postgres/projector.js';
import { postgresClaimWatch, postgresRunnerPresence } from '../adapters/postgres/runner-presence.js';
import { schemaName, type SchemaName } from '../adapters/postgres/schema-name.js';
import { whereabouts, type Whereabouts } from '../adapters/system.js';
import { explainStoreError, rejected, type StoreError } from '../domain/errors.js';
import type { ProgressBoard } from '../projections/progress.js';
import { claimedJob } from '../projections/claimed-job.js';
import { inlineProjections } from '../projections/index.js';
import type { ClaimWatch, QueueBook, RunnerPresence } from '../projections/ports.js';
import type { Projection } from '../projections/projection.js';
import type { ReadingDesk } from '../projections/reading-desk.js';
import { ledgerClock, type LedgerClock } from './clock.js';
import type { LedgerConfig } from './config.js';
import { followUp, spawned } from './follow-up.js';
import { historyElsewhere, historyInPostgres, type History } from './history.js';
import type { EnqueueAnswer } from './producer/enqueueing.js';
import { producer, type Producer } from './producer/producer.js';
import { enqueueInTransaction } from './producer/transactional.js';
import { persistentIndex, persistentReads } from './streams/persistent-append.js';
import { currentBook } from './queues/current-book.js';
import { expireClaims, type ReaperPorts } from './reaper.js';
import { serverFinder } from './server-finder.js';

/** Something outside failed: the embedded server, the connection, the schema. One sentence that says what to do. */
export interface OpenFailed {
  readonly _tag: 'OpenFailed';
  readonly message: string;
}

export interface Ledger extends History {
  /** Who writes, as the events' metadata tell, where nobody else is named. */
  readonly by: string;
  readonly url: string;
  readonly schema: SchemaName;
  /** For what keeps, compares and mends the tables. */
  readonly pool: pg.Pool;
  readonly reading: ReadingDesk;
  readonly queueBook: QueueBook;
  readonly presence: RunnerPresence;
  readonly board: ProgressBoard;
  readonly watch: ClaimWatch;
  readonly clock: LedgerClock;
  readonly producer: Producer;
  /** An answer each for jobs that are there when the client's transaction commits, and only then. */
  readonly enqueueOn: (
    client: pg.ClientBase,
    specifications: readonly unknown[],
  ) => Promise<readonly EnqueueAnswer[]>;
  readonly whereabouts: Whereabouts;
  /** Tells the runner that has the job in hand, wherever it is, to look whether its claim still stands. It may fail to be heard. */
  readonly summon: (jobId: string) => Promise<void>;
  /** Tables brought to the end of history as it is now. */
  readonly catchUp: (
    projections: readonly Projection[],
  ) => TaskEither<StoreError, readonly ProjectionStatus[]>;
  /** Makes ready what lost runners left behind: expires their claims, appends children that are missing. How many jobs that were. */
  readonly recover: (log: (line: string) => void) => Promise<E.Either<StoreError, number>>;
  readonly reaperPorts: (log: (line: string) => void) => ReaperPorts;
  /** Looks where the embedded server listens now: it may have been stopped and started on another port. */
  readonly findServer: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OpenOptions extends LedgerConfig {
  /** Who writes, as the events' metadata tell. */
  readonly by: string;
  /** Told what takes long (the first start of the embedded server), and when a subscription to an EventStoreDB was dropped. */
  readonly report: (line: string) => void;
  /** Whatever history the schema's tables were made from: they are about to be made anew. */
  readonly isAfresh?: true;
}

export const openLedger =
  (options: OpenOptions): TaskEither<OpenFailed, Ledger> =>
  async () => {
    const schema = schemaName(options.schema);
    if (E.isLeft(schema)) return failed(schema.left.message);
    const url = await databaseUrl(options);
    if (E.isLeft(url)) return url;
    const pool = await connect(url.right)();
    if (E.isLeft(pool)) return failed(pool.left.message);
    const history = await openHistory(pool.right, schema.right, options);
    if (E.isLeft(history)) {
      await pool.right.end();
      return failed(explainStoreError(history.left));
    }
    const ledger = compose(url.right, pool.right, schema.right, history.right, options);
    const measured = await ledger.clock.measure();
    if (E.isRight(measured)) return E.right(ledger);
    await ledger.close();
    return failed(explainStoreError(measured.left));
  };

const openHistory = async (
  pool: pg.Pool,
  schema: SchemaName,
  { eventstoreUrl: url, ledger = 'jobledger', report, isAfresh }: OpenOptions,
): Promise<E.Either<StoreError, History>> => {
  const migrated = await migrate(pool, schema)();
  if (E.isLeft(migrated)) return migrated;
  const settled = isAfresh ?? (await settleHistory(pool, schema, url === undefined ? undefined : ledger)());
  if (settled !== true && E.isLeft(settled)) return settled;
  if (url === undefined) return E.right(historyInPostgres(pool, schema));
  const history = await historyElsewhere(pool, schema, { url, ledger, log: report });
  if (E.isLeft(history)) return history;
  const reached = await history.right.store.end()();
  if (E.isRight(reached)) return history;
  await history.right.store.close();
  return reached;
};

const failed = (message: string): E.Either<OpenFailed, never> => E.left({ _tag: 'OpenFailed', message });

const databaseUrl = async ({
  databaseUrl: url,
  home,
  report,
}: OpenOptions): Promise<E.Either<OpenFailed, string>> => {
  if (url !== undefined) return E.right(url);
  const started = await startEmbedded(home, report)();
  return E.isLeft(started) ? failed(started.left.message) : E.right(started.right.url);
};

const enqueueingOn =
  (schema: SchemaName, clock: LedgerClock, by: string): Ledger['enqueueOn'] =>
  (client, specifications) => {
    const atCommit = postgresEnqueueAtCommit(client, schema, inlineProjections);
    return enqueueInTransaction(
      { atCommit, index: postgresJobIndex(client, schema), clock, by },
      specifications,
    );
  };

/** No transaction of a PostgreSQL spans another store. */
const cannotEnqueueOn: Ledger['enqueueOn'] = (_, specifications) => {
  const why =
    'a transaction of your own cannot carry jobs to an EventStoreDB: enqueue them behind its commit';
  return Promise.resolve(specifications.map(() => E.left(rejected(why))));
};

/** However often it is asked for. */
const once = (end: () => Promise<void>): (() => Promise<void>) => {
  let ended: Promise<void> | undefined;
  return () => (ended ??= end());
};

const compose = (
  url: string,
  pool: pg.Pool,
  schema: SchemaName,
  history: History,
  { by, databaseUrl: given, home }: OpenOptions,
): Ledger => {
  const { store, index } = history;
  const clock = ledgerClock(index);
  const reserved = reservedPool(url);
  const presence = postgresRunnerPresence(reserved, schema);
  const watch = postgresClaimWatch(pool, schema);
  const reading = postgresReadingDesk(pool, schema);
  const jobs = producer({ store: persistentReads(store), index: persistentIndex(index), clock, by });
  const options = { store, parks: history.parks };
  const findServer = serverFinder(home, given, [pool, reserved]);
  const catchUpClaims = async (log: (line: string) => void): Promise<E.Either<StoreError, number>> => {
    const following = followUp({ store, prunedAmong: reading.prunedAmong, enqueueAll: jobs.enqueueAll, log });
    const before = { [spawned.name]: following.look };
    const caughtUp = await keepUp(pool, schema, [claimedJob, spawned], { ...options, before })();
    return E.map(following.appended)(caughtUp);
  };
  const reaperPorts = (log: (line: string) => void): ReaperPorts => ({
    store,
    watch,
    presence,
    catchUpClaims: () => catchUpClaims(log),
    keepHouse: () => housekeeping(pool, schema)(),
    findServer,
    log,
  });
  return {
    ...history,
    by,
    url,
    schema,
    pool,
    reading,
    queueBook: currentBook(postgresQueueBook(pool, schema), history.keeper),
    presence,
    board: postgresProgressBoard(pool, schema),
    watch,
    clock,
    producer: jobs,
    enqueueOn: history.elsewhere === undefined ? enqueueingOn(schema, clock, by) : cannotEnqueueOn,
    whereabouts: whereabouts(),
    summon: store.summon,
    catchUp: (projections) => async () => {
      const ready = await history.keeper?.upToDate();
      return ready?._tag === 'Left' ? ready : catchUp(pool, schema, projections, options)();
    },
    recover: (log) => expireClaims(reaperPorts(log), { by: 'reaper' }),
    reaperPorts,
    findServer,
    close: once(async () => {
      await store.close();
      await Promise.all([pool.end(), reserved.end()]);
    }),
  };
};
