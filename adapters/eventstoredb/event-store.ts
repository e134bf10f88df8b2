/** The event store on an EventStoreDB: appends, reads and subscriptions on connections of their own, every call with a deadline. */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { rejected, type Rejected, type StoreError } from '../../domain/errors.js';
import type { StreamName } from '../../domain/ledger.js';
import type { EventStore, Subscription } from '../../domain/ports.js';
import { appendAll, noteSeen, type Appending } from './append.js';
import { superviseClient } from './client-supervisor.js';
import { addressOf, type Address } from './connection.js';
import { deleteStreams, type FinishedStream } from './delete.js';
import { streamNames } from './encoding.js';
import { attempt } from './errors.js';
import { limiter } from './limiter.js';
import { endOfLog, readStream, readStretch, type Reading } from './read.js';
import { supervisedSubscription } from './subscription.js';
import type { SubscriptionState } from './subscription-state.js';

export interface EventStoreDbOptions {
  /** `esdb://…` */
  readonly url: string;
  /** What the names of the ledger's streams begin with: letters and digits. */
  readonly ledger: string;
  /** How long a call may stay unanswered. Default 10 s. */
  readonly deadlineMs?: number;
  /** How long a subscription may hear nothing before it looks whether it should have. Default 4 s. */
  readonly silenceMs?: number;
  readonly log?: (line: string) => void;
  /** Told of every change of a subscription's state. */
  readonly onSubscriptionState?: (state: SubscriptionState) => void;
}

export interface EventStoreDbStore extends EventStore {
  /** Tells waiting readers of this process that there is news. Appends do so themselves. */
  readonly wake: () => void;
  /** Calls the listener when there may be news, of this process or another; gives back how to stop. */
  readonly onNews: (listener: () => void) => () => void;
  /** Each if its last event is still this one. Who reads the log meets their events until the next scavenge. */
  readonly deleteStreams: (streams: readonly FinishedStream[]) => TaskEither<StoreError, void>;
  readonly close: () => Promise<void>;
}

const MOST_APPENDS = 64;
const MOST_READS = 32;
const DEADLINE_MS = 10_000;
const SILENCE_MS = 4_000;

/** An underscore would make one ledger's streams begin as another's do. */
const LEDGER = /^[A-Za-z][A-Za-z0-9]{0,62}$/;

export const eventStoreDbStore = (options: EventStoreDbOptions): Either<Rejected, EventStoreDbStore> => {
  const address = addressOf(options.url);
  if (isLeft(address)) return address;
  if (!LEDGER.test(options.ledger)) {
    return left(
      rejected(
        `"${options.ledger}" cannot name a ledger on EventStoreDB: letters and digits, a letter first, at most 63`,
      ),
    );
  }
  return right(storeAt(address.right, options));
};

const storeAt = (address: Address, options: EventStoreDbOptions): EventStoreDbStore => {
  const names = streamNames(options.ledger);
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  const reading: Reading = { clients: superviseClient(address.newClient), names, deadlineMs };
  const appending: Appending = {
    clients: superviseClient(address.newClient),
    names,
    deadlineMs,
    address,
    reading,
    limited: limiter(MOST_APPENDS),
    seen: { position: 0n },
  };
  const limitedRead = limiter(MOST_READS);
  const { subscribe, onNews, wake, stopAll } = openSubscriptions(address, reading, options);

  const wholeStreams = (streams: readonly StreamName[]) =>
    Promise.all(
      streams.map(async (stream) => {
        const events = await limitedRead(() => readStream(reading, stream, {}));
        return [stream, events] as const;
      }),
    );

  return {
    append: (shares) =>
      attempt(async () => {
        const outcomes = await appendAll(appending, shares);
        if (outcomes.some((outcome) => outcome._tag === 'Right')) wake();
        return outcomes;
      }),
    readStream: (stream, selection = {}) =>
      attempt(() => limitedRead(() => readStream(reading, stream, selection))),
    readStreams: (streams) =>
      attempt(async () => new Map((await wholeStreams(streams)).filter(([, events]) => events.length > 0))),
    readAll: ({ upTo, ...rest }) =>
      attempt(async () => {
        const end = await endOfLog(reading);
        const stretch = { limit: undefined, ...rest, upTo: upTo === undefined || upTo > end ? end : upTo };
        return limitedRead(() => readStretch(reading, stretch));
      }),
    end: () =>
      attempt(async () => {
        const end = await endOfLog(reading);
        noteSeen(appending, end);
        return end;
      }),
    subscribe,
    wake,
    onNews,
    deleteStreams: (streams) => attempt(() => deleteStreams(appending, streams)),
    close: async () => {
      await stopAll();
      await Promise.all([reading.clients.close(), appending.clients.close()]);
    },
  };
};

interface Subscriptions extends Pick<EventStoreDbStore, 'subscribe' | 'onNews' | 'wake'> {
  readonly stopAll: () => Promise<void>;
}

const openSubscriptions = (
  address: Address,
  reading: Reading,
  { silenceMs = SILENCE_MS, log = () => undefined, onSubscriptionState }: EventStoreDbOptions,
): Subscriptions => {
  const listeners = new Set<() => void>();
  const open = new Set<Subscription>();
  let tail: Subscription | undefined;
  const onState = onSubscriptionState === undefined ? {} : { onState: onSubscriptionState };
  const wake = (): void => {
    for (const listener of listeners) listener();
  };

  const subscribe: EventStore['subscribe'] = (asked) => {
    const ports = { clients: superviseClient(address.newClient), reading };
    const subscription = supervisedSubscription(ports, asked, { silenceMs, log, ...onState });
    open.add(subscription);
    return {
      stop: async () => {
        open.delete(subscription);
        await subscription.stop();
      },
    };
  };

  return {
    subscribe,
    wake,
    onNews: (listener) => {
      listeners.add(listener);
      tail ??= subscribe({ from: 'live', onPage: () => () => Promise.resolve(wake()) });
      return () => listeners.delete(listener);
    },
    stopAll: async () => {
      await Promise.all([...open].map((subscription) => subscription.stop()));
    },
  };
};
