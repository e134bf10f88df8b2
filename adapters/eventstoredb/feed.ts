/**
 * One call that follows the log: what has come, in order, as stretches to be taken. Read by pulling, so that what nobody takes is not
 * sent; and so that a mark ("this far without an event for you") is never seen before the events that were sent ahead of it.
 */
import type { AllStreamSubscription, EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client';
import { clientPackage } from './client-package.js';
import { isLeft } from 'fp-ts/lib/Either.js';
import { START, type Position, type RecordedEvent } from '../../domain/ledger.js';
import { positionOf, recordedEvent, type StreamNames } from './encoding.js';
import { Ended, StoreFailure } from './errors.js';

export interface FeedOptions {
  /** Events strictly behind this position. */
  readonly after: Position;
  readonly names: StreamNames;
  /** Beginning of the names of the streams wanted, within the ledger. */
  readonly streamPrefix: string;
  readonly mostEvents: number;
  readonly mostBytes: number;
  /** Something has come, or the call has ended. */
  readonly onChange: () => void;
}

export interface Stretch {
  readonly events: readonly RecordedEvent[];
  /** How far the log has been seen. */
  readonly upTo: Position;
  readonly isCaughtUp: boolean;
}

export interface Feed {
  readonly take: () => Stretch;
  /** Events that wait to be taken. */
  readonly waiting: () => number;
  /** False while more is to come by itself: what waits is no full page, and the end has not been reached. */
  readonly isSettled: () => boolean;
  /** Changes with everything the server sends. */
  readonly received: () => number;
  /** True once it has fallen behind since the last question. */
  readonly hasFallenBehind: () => boolean;
  /** Why the call has ended, or undefined while it runs. */
  readonly ending: () => Error | undefined;
  readonly close: () => Promise<void>;
}

const SEARCH_WINDOW = 256;
const CHECKPOINT_INTERVAL = 2;

/** Objects held ahead on the way to us; each is an event of at most a megabyte. */
const AHEAD = { highWaterMark: 64 };

/** About the bytes of the JSON that it came as. */
const weightOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let sum = 2;
  for (const each of Object.values(value)) sum += 8 + weightOf(each);
  return sum;
};

interface Buffer {
  events: RecordedEvent[];
  bytes: number;
  upTo: Position;
  isCaughtUp: boolean;
  received: number;
  fellBehind: boolean;
  ending: Error | undefined;
}

const emptyBuffer = (after: Position): Buffer => ({
  events: [],
  bytes: 0,
  upTo: after,
  isCaughtUp: false,
  received: 0,
  fellBehind: false,
  ending: undefined,
});

const keep = (buffer: Buffer, resolved: ResolvedEvent, { names, streamPrefix }: FeedOptions): void => {
  const position = positionOf(resolved);
  buffer.received += 1;
  if (position <= buffer.upTo) return;
  const event = recordedEvent(resolved, names);
  if (event !== undefined && isLeft(event)) {
    buffer.ending ??= new StoreFailure(event.left);
    return;
  }
  if (event?.right.stream.startsWith(streamPrefix) === true) {
    buffer.events.push(event.right);
    buffer.bytes += weightOf(event.right.data);
  }
  buffer.upTo = position;
};

const listen = (
  subscription: AllStreamSubscription,
  buffer: Buffer,
  options: FeedOptions,
  drain: () => void,
): void => {
  const end = (reason: Error): void => {
    buffer.ending ??= reason;
    options.onChange();
  };
  subscription.on('error', end);
  subscription.on('end', () => end(new Ended('the server ended the subscription')));
  subscription.on('close', () => end(new Ended('the subscription was closed')));
  subscription.on('readable', drain);
  subscription.on('confirmation', () => {
    buffer.received += 1;
  });
  subscription.on('caughtUp', () => {
    takeAll(subscription, buffer, options);
    buffer.received += 1;
    buffer.isCaughtUp = true;
    options.onChange();
  });
  subscription.on('fellBehind', () => {
    takeAll(subscription, buffer, options);
    buffer.received += 1;
    buffer.fellBehind = true;
    buffer.isCaughtUp = false;
    options.onChange();
  });
};

const takeAll = (subscription: AllStreamSubscription, buffer: Buffer, options: FeedOptions): void => {
  for (;;) {
    const next: ResolvedEvent | null = subscription.read();
    if (next === null) return;
    keep(buffer, next, options);
  }
};

export const openFeed = (client: EventStoreDBClient, options: FeedOptions): Feed => {
  const { after, names, streamPrefix } = options;
  const buffer = emptyBuffer(after);
  const isFull = (): boolean =>
    buffer.events.length >= options.mostEvents || buffer.bytes >= options.mostBytes;

  const filter = clientPackage.streamNameFilter({
    prefixes: [names.onServer(streamPrefix)],
    maxSearchWindow: SEARCH_WINDOW,
    checkpointInterval: CHECKPOINT_INTERVAL,
    checkpointReached: (_, { commit }) => {
      takeAll(subscription, buffer, options);
      buffer.received += 1;
      if (commit > buffer.upTo) buffer.upTo = commit;
      options.onChange();
    },
  });
  const fromPosition = after === START ? 'start' : { commit: after, prepare: after };
  const subscription = client.subscribeToAll({ fromPosition, filter }, AHEAD);

  const drain = (): void => {
    let hasCome = false;
    while (!isFull()) {
      const next: ResolvedEvent | null = subscription.read();
      if (next === null) break;
      keep(buffer, next, options);
      hasCome = true;
    }
    if (hasCome) options.onChange();
  };
  listen(subscription, buffer, options, drain);

  return {
    take: () => {
      const { events, upTo, isCaughtUp } = buffer;
      buffer.events = [];
      buffer.bytes = 0;
      setImmediate(drain);
      return { events, upTo, isCaughtUp };
    },
    waiting: () => buffer.events.length,
    isSettled: () => isFull() || buffer.isCaughtUp || buffer.ending !== undefined,
    received: () => buffer.received,
    hasFallenBehind: () => {
      const { fellBehind } = buffer;
      buffer.fellBehind = false;
      return fellBehind;
    },
    ending: () => buffer.ending,
    // Leaving without this keeps the call open on the server, for as long as the client lives.
    close: () => subscription.unsubscribe().catch(() => undefined),
  };
};
