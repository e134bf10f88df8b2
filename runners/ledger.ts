/** The composition: one ledger on one PostgreSQL, everything a program needs of it, put together once. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { embeddedStatus, startEmbedded } from '../adapters/embedded/index.js';
import { postgresClaimDesk } from '../adapters/postgres/claim-desk.js';
import { connect } from '../adapters/postgres/connection.js';
import { postgresEnqueueAtCommit } from '../adapters/postgres/enqueue-at-commit.js';
import { postgresEventStore, type PostgresEventStore } from '../adapters/postgres/event-store.js';
import { housekeeping } from '../adapters/postgres/housekeeping.js';
import { inlineWrites } from '../adapters/postgres/inline.js';
import { postgresQueueBook } from '../adapters/postgres/queue-book.js';
import { postgresJobIndex } from '../adapters/postgres/job-index.js';
import { migrate } from '../adapters/postgres/migrate.js';
import { catchUp, type ProjectionStatus } from '../adapters/postgres/projector.js';
import { postgresClaimWatch, postgresRunnerPresence } from '../adapters/postgres/runner-presence.js';
import { schemaName, type SchemaName } from '../adapters/postgres/schema-name.js';
import { whereabouts, type Whereabouts } from '../adapters/system.js';
import type { StoreError } from '../domain/errors.js';
import { claimedJob } from '../projections/claimed-job.js';
import { inlineProjections } from '../projections/index.js';
import type { ClaimDesk, ClaimWatch, JobIndex, QueueBook, RunnerPresence } from '../projections/ports.js';
import type { Projection } from '../projections/projection.js';
import { ledgerClock, type LedgerClock } from './clock.js';
import type { LedgerConfig } from './config.js';
import { followUp, spawned } from './follow-up.js';
import type { EnqueueAnswer } from './producer/enqueueing.js';
import { producer, type Producer } from './producer/producer.js';
import { enqueueInTransaction } from './producer/transactional.js';
import { persistentIndex, persistentReads } from './streams/persistent-append.js';
import { expireClaims, type ReaperPorts } from './reaper.js';

/** Something outside failed: the embedded server, the connection, the schema. One sentence that says what to do. */
export interface OpenFailed {
  readonly _tag: 'OpenFailed';
  readonly message: string;
}

export interface Ledger {
  /** Who writes, as the events' metadata tell, where nobody else is named. */
  readonly by: string;
  readonly url: string;
  readonly schema: SchemaName;
  /** For reading the tables. */
  readonly pool: pg.Pool;
  readonly store: PostgresEventStore;
  readonly index: JobIndex;
  readonly claimDesk: ClaimDesk;
  readonly queueBook: QueueBook;
  readonly presence: RunnerPresence;
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
  /** Told what takes long: the first start of the embedded server. */
  readonly report: (line: string) => void;
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
    const migrated = await migrate(pool.right, schema.right)();
    if (E.isLeft(migrated)) {
      await pool.right.end();
      return failed(messageOf(migrated.left));
    }
    const ledger = compose(url.right, pool.right, schema.right, options);
    const measured = await ledger.clock.measure();
    if (E.isRight(measured)) return E.right(ledger);
    await ledger.close();
    return failed(messageOf(measured.left));
  };

const failed = (message: string): E.Either<OpenFailed, never> => E.left({ _tag: 'OpenFailed', message });

const messageOf = (error: StoreError): string => error.message;

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

const compose = (
  url: string,
  pool: pg.Pool,
  schema: SchemaName,
  { by, databaseUrl: given, home }: OpenOptions,
): Ledger => {
  const inline = inlineWrites(inlineProjections);
  const store = postgresEventStore(pool, { schema, inline });
  const index = postgresJobIndex(pool, schema);
  const clock = ledgerClock(index);
  const presence = postgresRunnerPresence(pool, schema);
  const watch = postgresClaimWatch(pool, schema);
  const jobs = producer({ store: persistentReads(store), index: persistentIndex(index), clock, by });
  const options = { store, parks: [claimedJob.name] };
  const findServer = async (): Promise<void> => {
    const server = given === undefined ? await embeddedStatus(home)() : undefined;
    if (server?._tag === 'Right' && server.right.running) pool.options.connectionString = server.right.url;
  };
  const catchUpClaims = async (log: (line: string) => void): Promise<E.Either<StoreError, number>> => {
    const following = followUp({ store, enqueueAll: jobs.enqueueAll, log });
    const before = { [spawned.name]: following.look };
    const caughtUp = await catchUp(pool, schema, [claimedJob, spawned], { ...options, before })();
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
    by,
    url,
    schema,
    pool,
    store,
    index,
    claimDesk: postgresClaimDesk(pool, schema, inline),
    queueBook: postgresQueueBook(pool, schema),
    presence,
    watch,
    clock,
    producer: jobs,
    enqueueOn: enqueueingOn(schema, clock, by),
    whereabouts: whereabouts(),
    summon: store.summon,
    catchUp: (projections) => catchUp(pool, schema, projections, options),
    recover: (log) => expireClaims(reaperPorts(log), { by: 'reaper' }),
    reaperPorts,
    findServer,
    close: async () => {
      await store.close();
      await pool.end();
    },
  };
};
