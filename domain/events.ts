/** The registry of every event of the ledger: its codec, its schema version, and how stored data becomes a typed event. */
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { firstFlaw } from './decoding.js';
import { jobEventCodecs } from './job/events.js';
import type { Metadata } from './ledger.js';
import { HistoryPruned } from './pruning.js';
import { queueEventCodecs } from './queue/events.js';
import { runnerEventCodecs } from './runner/events.js';
import { scheduleEventCodecs } from './schedule/events.js';
import { currentVersion, upcast } from './upcast.js';

export const SealPrinted = t.type({ upTo: t.string, events: t.number, digest: t.string, previous: t.string });

export const eventCodecs = {
  ...jobEventCodecs,
  ...queueEventCodecs,
  ...scheduleEventCodecs,
  ...runnerEventCodecs,
  HistoryPruned,
  SealPrinted,
} as const;

type Codecs = typeof eventCodecs;
export type EventType = keyof Codecs;
export type EventOf<T extends EventType> = { readonly type: T; readonly data: t.TypeOf<Codecs[T]> };
export type LedgerEvent = { [T in EventType]: EventOf<T> }[EventType];

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventCodecs, type);

/** Stored data → typed event: the version is read first, older data are brought up to date, then the codec decides. */
export const decodeEvent = (recorded: {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: Metadata;
}): E.Either<string, LedgerEvent> => {
  const { type } = recorded;
  if (!isEventType(type)) return E.left(`the event type "${type}" is not known to this version`);
  const version = recorded.metadata.schemaVersion;
  if (version > currentVersion(type)) {
    return E.left(`${type} has schema version ${version}; this program knows up to ${currentVersion(type)}`);
  }
  const codec: t.Mixed = eventCodecs[type];
  const data = upcast(type, version, recorded.data);
  // Looking costs a third of decoding, and our codecs change nothing.
  if (codec.is(data)) return E.right({ type, data } as LedgerEvent);
  const decoded = codec.decode(data);
  return E.left(`${type}: ${E.isLeft(decoded) ? firstFlaw(decoded.left) : 'not valid'}`);
};
