/** The event store on one PostgreSQL: table `event`, appended to in one statement, read as far as it is complete. */
import type { EventStore } from '../../domain/ports.js';
import { catchUpSubscription, type History } from '../catch-up-subscription.js';
import { appender, type InlineWrites } from './append.js';
import { attempt } from './error-mapping.js';
import { openHorizon, postgresObserve } from './horizon.js';
import { readStream, readStreams, readStretch } from './read.js';
import type { SchemaName } from './schema-name.js';
import { isPool, type Queryable } from './statement.js';
import { postgresWakeUps, type WakeUps } from './wake-ups.js';

export interface PostgresEventStoreOptions {
  readonly schema: SchemaName;
  readonly inline?: InlineWrites;
  /** The client is inside a transaction of ours: a savepoint may be set in it. */
  readonly isOwnTransaction?: boolean;
  /** How long a subscription waits, at most, before it looks again. Default 1 s. */
  readonly pollMilliseconds?: number;
}

export interface PostgresEventStore extends EventStore {
  /** Tells waiting subscriptions, of every process, that there is news. Appends through a pool do so themselves. */
  readonly wake: () => void;
  /**
   * Calls the listener when there may be news, of this process or another: of the job named, or that there were appends. Gives back how
   * to stop.
   */
  readonly onNews: (listener: (jobId?: string) => void) => () => void;
  /** Tells all listeners, of every process, that there is news of this job. */
  readonly summon: (jobId: string) => Promise<void>;
  /** Ends the listening connection. The pool stays its owner's. */
  readonly close: () => Promise<void>;
}

/**
 * On a pool every statement is a transaction of its own. On a client that is inside a transaction, appends and reads are part of
 * it: nothing is retried, neighbours of a refused event are lost with it, and its owner calls `wake` after the commit.
 */
export const postgresEventStore = (
  db: Queryable,
  { schema, inline, isOwnTransaction, pollMilliseconds = 1_000 }: PostgresEventStoreOptions,
): PostgresEventStore => {
  const append = appender(db, schema, { inline, isOwnTransaction });
  const horizon = openHorizon(postgresObserve(db, schema));
  const wakeUps: WakeUps | undefined = isPool(db) ? postgresWakeUps(db, schema) : undefined;

  /** A position that the caller names is trusted inside a transaction: it comes from an earlier end or checkpoint. */
  const completeUpTo = async (upTo: bigint | undefined): Promise<bigint> => {
    const known = horizon.known();
    if (upTo !== undefined && (!isPool(db) || (known !== undefined && upTo <= known))) return upTo;
    const end = await horizon.settled();
    return upTo !== undefined && upTo < end ? upTo : end;
  };

  const history = (): History => {
    const reader = openHorizon(postgresObserve(db, schema));
    return {
      look: () => attempt(() => reader.look())(),
      settled: () => attempt(() => reader.settled())(),
      read: (stretch) => attempt(() => readStretch(db, schema, stretch))(),
      onNews: (listener) => wakeUps?.listen(listener) ?? (() => undefined),
    };
  };

  return {
    append: (appends) =>
      attempt(async () => {
        const outcomes = await append(appends);
        if (outcomes.some((outcome) => outcome._tag === 'Right')) wakeUps?.wake();
        return outcomes;
      }),
    readStream: (stream, options = {}) => attempt(() => readStream(db, schema, stream, options)),
    readStreams: (streams) => attempt(() => readStreams(db, schema, streams)),
    readAll: ({ upTo, limit, ...rest }) =>
      attempt(async () => readStretch(db, schema, { ...rest, limit, upTo: await completeUpTo(upTo) })),
    end: () => attempt(() => horizon.settled()),
    subscribe: (options) => catchUpSubscription(history(), options, { pollMilliseconds }),
    wake: () => wakeUps?.wake(),
    onNews: (listener) => wakeUps?.listen(listener) ?? (() => undefined),
    summon: (jobId) => wakeUps?.summon(jobId) ?? Promise.resolve(),
    close: () => wakeUps?.close() ?? Promise.resolve(),
  };
};
