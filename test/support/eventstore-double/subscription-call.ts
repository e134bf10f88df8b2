// Subscriptions to $all: confirmation, history, caught up, live; checkpoints over what the filter leaves out; slow consumers.
import * as grpc from '@grpc/grpc-js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type { EventLog, LogRecord } from './log.js';
import { caughtUp, checkpoint, confirmation, failure, fellBehind, readEvent } from './messages.js';
import { send, type ReadCall } from './sending.js';

export interface SubscriptionSettings {
  /** 23.10 drops a slow consumer and sends no checkpoint at the end of catch-up; 24.10 falls behind and does. */
  version: '23.10' | '24.10';
  /** Open at this moment. */
  readonly calls: Set<ReadCall>;
  /** Those that get nothing more, and no end. */
  readonly deaf: WeakSet<ReadCall>;
  /** Opened so far. */
  opened: number;
  /** Events sent so far. */
  sent: number;
}

const LIVE_BUFFER = 32;
const WINDOW = 32;
/** A write that took longer waited for the client. */
const WAITED_MS = 5;

const matcher = (options: streams.ReadReq.Options): ((record: LogRecord) => boolean) => {
  const prefixes = options.getFilter()?.getStreamIdentifier()?.getPrefixList();
  return prefixes === undefined
    ? () => true
    : ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix));
};

const firstIndex = (log: EventLog, options: streams.ReadReq.Options): number => {
  const all = options.getAll();
  if (all?.hasEnd() === true) return log.records.length;
  const position = all?.getPosition();
  return position === undefined ? 0 : log.indexBehind(BigInt(position.getCommitPosition()));
};

/** One message at a time, and what is appended while the client does not read counts as its live buffer. */
const pump = async (
  log: EventLog,
  settings: SubscriptionSettings,
  call: ReadCall,
  options: streams.ReadReq.Options,
  untilNews: () => Promise<void>,
): Promise<void> => {
  const isWanted = matcher(options);
  const filter = options.getFilter();
  const interval = (filter?.getMax() ?? WINDOW) * (filter?.getCheckpointintervalmultiplier() ?? 1);
  let index = firstIndex(log, options);
  let considered = 0;
  let isLive = false;
  let scavenges = log.scavenges();
  let seen = 0n;
  while (!call.cancelled && !call.destroyed) {
    if (log.scavenges() !== scavenges) {
      scavenges = log.scavenges();
      index = seen === 0n ? firstIndex(log, options) : log.indexBehind(seen);
    }
    const record = log.records[index];
    seen = record?.position ?? seen;
    if (record === undefined) {
      if (!isLive) {
        const last = log.records[index - 1];
        if (filter !== undefined && last !== undefined && settings.version !== '23.10')
          await send(call, checkpoint(last.position));
        await send(call, caughtUp());
        isLive = true;
      }
      await untilNews();
      continue;
    }
    if (settings.deaf.has(call)) {
      await untilNews();
      continue;
    }
    index += 1;
    considered += 1;
    const asked = performance.now();
    if (isWanted(record)) {
      settings.sent += 1;
      await send(call, readEvent(record));
    } else if (filter !== undefined && considered % interval === 0)
      await send(call, checkpoint(record.position));
    const waited = performance.now() - asked > WAITED_MS;
    if (!isLive || !waited || log.records.length - index <= LIVE_BUFFER) continue;
    if (settings.version === '23.10') {
      const details =
        'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.';
      call.emit('error', failure(grpc.status.ABORTED, details));
      return;
    }
    await send(call, fellBehind());
    isLive = false;
  }
};

export const subscribe = async (
  log: EventLog,
  settings: SubscriptionSettings,
  call: ReadCall,
  options: streams.ReadReq.Options,
): Promise<void> => {
  let wakeUp = (): void => undefined;
  const stopListening = log.onAppended(() => wakeUp());
  call.once('cancelled', () => wakeUp());
  call.once('close', () => wakeUp());
  settings.calls.add(call);
  settings.opened += 1;
  const untilNews = (): Promise<void> =>
    new Promise((resolve) => {
      wakeUp = resolve;
    });
  await send(call, confirmation(crypto.randomUUID()));
  await pump(log, settings, call, options, untilNews);
  stopListening();
  settings.calls.delete(call);
};
