/** Reads of single streams and of stretches of the log, each bounded in time, in number and in bytes. */
import type { EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client';
import { isLeft } from 'fp-ts/lib/Either.js';
import { setTimeout as delay } from 'node:timers/promises';
import { START, type Position, type RecordedEvent, type StreamName } from '../../domain/ledger.js';
import type { Filter, Page, ReadStreamOptions } from '../../domain/ports.js';
import { bell } from '../bell.js';
import type { ClientSupervisor } from './client-supervisor.js';
import { positionOf, recordedEvent, type StreamNames } from './encoding.js';
import { faultOf, StoreFailure, Unanswered } from './errors.js';
import { openFeed } from './feed.js';

export interface Reading {
  readonly clients: ClientSupervisor;
  readonly names: StreamNames;
  /** How long the server may stay silent. */
  readonly deadlineMs: number;
}

const collected = async (call: AsyncIterable<ResolvedEvent>): Promise<readonly ResolvedEvent[]> => {
  const events: ResolvedEvent[] = [];
  try {
    for await (const event of call) events.push(event);
  } catch (error) {
    if (faultOf(error)._tag !== 'NoStream') throw error;
  }
  return events;
};

const opened = (resolved: ResolvedEvent, names: StreamNames): readonly RecordedEvent[] => {
  const event = recordedEvent(resolved, names);
  if (event === undefined) return [];
  if (isLeft(event)) throw new StoreFailure(event.left);
  return [event.right];
};

export const readStream = async (
  { clients, names, deadlineMs }: Reading,
  stream: StreamName,
  { direction = 'forward', from, limit }: ReadStreamOptions,
): Promise<readonly RecordedEvent[]> => {
  if (limit === 0) return [];
  const isForward = direction === 'forward';
  const read = (client: EventStoreDBClient) =>
    collected(
      client.readStream(names.onServer(stream), {
        direction: isForward ? 'forwards' : 'backwards',
        fromRevision: from ?? (isForward ? 'start' : 'end'),
        ...(limit === undefined ? {} : { maxCount: limit }),
      }),
    );
  return (await clients.use(read, deadlineMs)).flatMap((each) => opened(each, names));
};

/** Position of the last record of the log, whoever wrote it: nothing can appear at or before it any more. */
export const endOfLog = async ({ clients, deadlineMs }: Reading): Promise<Position> => {
  const last = (client: EventStoreDBClient) =>
    collected(client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }));
  const [record] = await clients.use(last, deadlineMs);
  return record === undefined ? START : positionOf(record);
};

export interface LogStretch extends Filter {
  readonly after: Position;
  /** Not behind the end of the log. */
  readonly upTo: Position;
  readonly limit: number | undefined;
}

const PAGE_BYTES = 32 * 1024 * 1024;
const FEED_EVENTS = 1_000;

/** What has been read of a stretch so far. */
interface Gathered {
  readonly events: RecordedEvent[];
  bytes: number;
  reached: Position;
  isDone: boolean;
}

const gather = (
  gathered: Gathered,
  { upTo, limit = Infinity, types }: LogStretch,
  events: readonly RecordedEvent[],
): void => {
  for (const event of events) {
    if (event.position > upTo) {
      gathered.reached = upTo;
      gathered.isDone = true;
      return;
    }
    gathered.reached = event.position;
    if (types !== undefined && !types.includes(event.type)) continue;
    gathered.events.push(event);
    if (gathered.events.length >= limit) {
      gathered.isDone = true;
      return;
    }
  }
};

/** The client reads the log without a filter only; a subscription that is given up at the end of the stretch has one. */
const follow = async (client: EventStoreDBClient, reading: Reading, stretch: LogStretch): Promise<Page> => {
  const { after, upTo, streamPrefix = '' } = stretch;
  const news = bell();
  const feed = openFeed(client, {
    after,
    names: reading.names,
    streamPrefix,
    mostEvents: FEED_EVENTS,
    mostBytes: PAGE_BYTES,
    onChange: news.ring,
  });
  const gathered: Gathered = { events: [], bytes: 0, reached: after, isDone: false };
  try {
    let received = -1;
    while (!gathered.isDone) {
      const ending = feed.ending();
      const next = feed.take();
      gather(gathered, stretch, next.events);
      if (gathered.isDone) break;
      if (next.isCaughtUp || next.upTo >= upTo) return { events: gathered.events, upTo };
      if (ending !== undefined) throw ending;
      if (next.events.length === 0) {
        if (feed.received() === received) throw new Unanswered(`no answer within ${reading.deadlineMs} ms`);
        received = feed.received();
        await news.wait(reading.deadlineMs);
      }
    }
    return { events: gathered.events, upTo: gathered.reached };
  } finally {
    await feed.close();
  }
};

/** Between the tries of a stretch that broke off. */
const PAUSES_MS = [50, 250, 1_000];

export const readStretch = async (reading: Reading, stretch: LogStretch): Promise<Page> => {
  const { after, upTo, limit, types } = stretch;
  if (upTo <= after || limit === 0) return { events: [], upTo: after };
  if (types?.length === 0) return { events: [], upTo };
  for (let tries = 0; ; tries += 1) {
    try {
      return await reading.clients.use((client) => follow(client, reading, stretch), undefined);
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const fault = faultOf(error);
      const pause = PAUSES_MS[tries];
      // One that was silent has taken its time.
      if (fault._tag !== 'Unknown' || fault.poisons || pause === undefined) throw error;
      await delay(pause);
    }
  }
};
