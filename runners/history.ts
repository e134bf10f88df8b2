/** Where the history is: in the PostgreSQL of the tables, or on an EventStoreDB; and what depends on that. */
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import type { EventStoreDbStore } from '../adapters/eventstoredb/event-store.js';
import type { InlineWrites } from '../adapters/postgres/append.js';
import type { HistoryOn } from '../adapters/postgres/audit.js';
import { postgresClaimDesk } from '../adapters/postgres/claim-desk.js';
import { postgresEventStore } from '../adapters/postgres/event-store.js';
import { inlineWrites } from '../adapters/postgres/inline.js';
import { postgresJobIndex } from '../adapters/postgres/job-index.js';
import { withoutPruned, withoutPrunedOn } from '../adapters/postgres/pruning/hidden.js';
import { ledgerEntriesAsLog } from '../adapters/postgres/pruning/ledger-entries.js';
import { catchUp } from '../adapters/postgres/projector.js';
import { remoteJobIndex } from '../adapters/postgres/remote-index.js';
import { reservingClaimDesk, type ClaimFigures } from '../adapters/postgres/reserving-desk.js';
import type { SchemaName } from '../adapters/postgres/schema-name.js';
import { postgresWakeUps } from '../adapters/postgres/wake-ups.js';
import type { StoreError } from '../domain/errors.js';
import type { Revision, StreamName } from '../domain/ledger.js';
import type { EventStore } from '../domain/ports.js';
import { claimedJob } from '../projections/claimed-job.js';
import { asCatchUp, catchUpProjections, inlineProjections } from '../projections/index.js';
import type { ClaimDesk, JobIndex } from '../projections/ports.js';
import type { Projection } from '../projections/projection.js';
import { prunedJob } from '../projections/pruned-job.js';
import { keeper, type Keeper } from './keeper.js';

export interface LedgerStore extends EventStore {
  /** Tells waiting subscriptions, of every process, that there is news. Appends do so themselves. */
  readonly wake: () => void;
  /** Calls the listener when there may be news: of the job named, or that there were appends. Gives back how to stop. */
  readonly onNews: (listener: (jobId?: string) => void) => () => void;
  /** Tells all listeners, of every process, that there is news of this job. */
  readonly summon: (jobId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface History {
  readonly store: LedgerStore;
  readonly index: JobIndex;
  readonly claimDesk: ClaimDesk;
  /** A projection as it is driven here. */
  readonly driven: (projection: Projection) => Projection;
  /** What `project` keeps. */
  readonly projected: readonly Projection[];
  /** Those that put aside what they cannot apply and go on: nothing that work rests on may be stopped by one event. */
  readonly parks: readonly string[];
  /** Events read at a time, where the usual number would be long in coming. */
  readonly pageSize?: number;
  /** The history as a client sees it inside its transaction. */
  readonly historyOn: HistoryOn;
  /** Keeps what runners depend on; undefined where the appends do. */
  readonly keeper: Keeper | undefined;
  /** Writes that appends carry; undefined where they carry none. */
  readonly inline: InlineWrites | undefined;
  /** Streams of finished jobs are deleted by a call for each; undefined where they go with the tables' rows. */
  readonly deleteStreams:
    | ((
        streams: readonly { readonly stream: StreamName; readonly last: Revision }[],
      ) => TE.TaskEither<StoreError, void>)
    | undefined;
  /** Undefined where claims are held by locks. */
  readonly claimFigures: () => ClaimFigures | undefined;
  /** The ledger's name on the EventStoreDB; undefined where the history is in the tables' own database. */
  readonly elsewhere: string | undefined;
}

export const historyInPostgres = (pool: pg.Pool, schema: SchemaName): History => {
  const inline = inlineWrites(inlineProjections);
  const store = postgresEventStore(pool, { schema, inline });
  const catchUpClaims = catchUp(pool, schema, [claimedJob], { store, parks: [claimedJob.name] });
  return {
    store,
    index: postgresJobIndex(pool, schema),
    claimDesk: postgresClaimDesk(pool, schema, inline, catchUpClaims),
    driven: (projection) => projection,
    projected: catchUpProjections,
    parks: [claimedJob.name],
    historyOn: (client) => postgresEventStore(client, { schema }),
    keeper: undefined,
    inline,
    deleteStreams: undefined,
    claimFigures: () => undefined,
    elsewhere: undefined,
  };
};

export interface EventStoreAddress {
  readonly url: string;
  readonly ledger: string;
  readonly log: (line: string) => void;
}

/** News of appends come from the history itself; summonses, which are addressed to runners, by way of the tables' database. */
const storeElsewhere = async (
  pool: pg.Pool,
  schema: SchemaName,
  address: EventStoreAddress,
): Promise<E.Either<StoreError, LedgerStore & Pick<EventStoreDbStore, 'deleteStreams'>>> => {
  // Its client takes longer to load than all the rest, and most ledgers do without.
  const { eventStoreDbStore } = await import('../adapters/eventstoredb/event-store.js');
  const opened = eventStoreDbStore(address);
  if (E.isLeft(opened)) return opened;
  const store = opened.right;
  const wakeUps = postgresWakeUps(pool, schema);
  return E.right({
    ...store,
    onNews: (listener) => {
      const stops = [store.onNews(() => listener()), wakeUps.listen(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    summon: wakeUps.summon,
    close: async () => {
      await Promise.all([store.close(), wakeUps.close()]);
    },
  });
};

/** An event costs the client some tenths of a millisecond; what waits for the page is what runners wait for. */
const PAGE_EVENTS = 1_000;

export const historyElsewhere = async (
  pool: pg.Pool,
  schema: SchemaName,
  address: EventStoreAddress,
): Promise<E.Either<StoreError, History>> => {
  const opened = await storeElsewhere(pool, schema, address);
  if (E.isLeft(opened)) return opened;
  const { deleteStreams, ...whole } = opened.right;
  const kept = inlineProjections.map(asCatchUp);
  const parks = [claimedJob, ...kept].map(({ name }) => name);
  const ofLedger = { readAll: ledgerEntriesAsLog(whole), end: whole.end };
  const prunedKnown = catchUp(pool, schema, [asCatchUp(prunedJob)], { store: ofLedger, parks });
  const store = { ...whole, readAll: withoutPruned(pool, schema, whole.readAll, prunedKnown) };

  const round = async (): Promise<E.Either<StoreError, boolean>> => {
    let hasMoved = false;
    const onProgress = (): void => {
      hasMoved = true;
    };
    return E.map(() => hasMoved)(
      await catchUp(pool, schema, kept, { store, parks, onProgress, pageSize: PAGE_EVENTS })(),
    );
  };
  const keeping = keeper({ round, onNews: (listener) => store.onNews(() => listener()) });
  const index = remoteJobIndex(pool, schema, store, { upToDate: keeping.upToDate, prunedKnown });
  // No append goes through this desk: it only looks what is ready.
  const desk = postgresClaimDesk(pool, schema, inlineWrites([]), TE.of(undefined));
  const claimDesk = reservingClaimDesk(pool, schema, desk, { store, index, upToDate: keeping.upToDate });
  return E.right({
    store,
    index,
    claimDesk,
    driven: asCatchUp,
    projected: [...kept, ...catchUpProjections],
    parks,
    pageSize: PAGE_EVENTS,
    historyOn: (client) => ({ readAll: withoutPrunedOn(client, schema, whole.readAll) }),
    keeper: keeping,
    inline: undefined,
    deleteStreams,
    claimFigures: claimDesk.figures,
    elsewhere: address.ledger,
  });
};
