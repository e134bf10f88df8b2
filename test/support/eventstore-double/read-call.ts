// Streams/Read: a stretch of a stream or of the log, with an end; subscriptions are subscription-call.ts.
import * as grpc from '@grpc/grpc-js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { refusalOf, type Faults } from './faults.js';
import type { EventLog, LogRecord } from './log.js';
import { begin, type Load } from './load.js';
import { failure, nameOf, readEvent, streamNotFound } from './messages.js';
import { send, type ReadCall } from './sending.js';
import { subscribe, type SubscriptionSettings } from './subscription-call.js';

const BACKWARDS = 1;
const NOWHERE = 2n ** 64n - 1n;

const ofStream = (
  log: EventLog,
  stream: string,
  options: streams.ReadReq.Options,
  isBackwards: boolean,
): readonly LogRecord[] | undefined => {
  const events = log.stream(stream);
  const from = options.getStream();
  if (events === undefined || from === undefined) return undefined;
  if (from.hasRevision()) {
    const revision = BigInt(from.getRevision());
    const wanted = events.filter((each) =>
      isBackwards ? each.revision <= revision : each.revision >= revision,
    );
    return isBackwards ? wanted.toReversed() : wanted;
  }
  if (isBackwards) return from.hasStart() ? events.slice(0, 1) : events.toReversed();
  return from.hasStart() ? events : [];
};

function* ofAll(log: EventLog, options: streams.ReadReq.Options, isBackwards: boolean): Generator<LogRecord> {
  const all = options.getAll();
  const position = BigInt(all?.getPosition()?.getCommitPosition() ?? (all?.hasEnd() === true ? NOWHERE : 0n));
  if (isBackwards) {
    for (let index = log.indexBehind(position - 1n) - 1; index >= 0; index -= 1) {
      const record = log.records[index];
      if (record !== undefined) yield record;
    }
    return;
  }
  for (let index = log.indexBehind(position - 1n); index < log.records.length; index += 1) {
    const record = log.records[index];
    if (record !== undefined) yield record;
  }
}

const sendAll = async (call: ReadCall, records: Iterable<LogRecord>, count: number): Promise<void> => {
  let left = count;
  for (const record of records) {
    if (left === 0 || !(await send(call, readEvent(record)))) break;
    left -= 1;
  }
  call.end();
};

const answer = async (log: EventLog, call: ReadCall, options: streams.ReadReq.Options): Promise<void> => {
  // A turn later, as from a disk: calls that come together are under way together.
  await new Promise((resolve) => setImmediate(resolve));
  const isBackwards = Number(options.getReadDirection()) === BACKWARDS;
  const count = Number(options.getCount());
  if (options.hasAll()) return sendAll(call, ofAll(log, options, isBackwards), count);
  const stream = nameOf(options.getStream()?.getStreamIdentifier());
  const records = ofStream(log, stream, options, isBackwards);
  if (records !== undefined) return sendAll(call, records, count);
  await send(call, streamNotFound(stream));
  call.end();
};

export const readCall =
  (
    log: EventLog,
    faults: Faults,
    settings: SubscriptionSettings,
    load: Load,
  ): grpc.handleServerStreamingCall<streams.ReadReq, streams.ReadResp> =>
  (call) => {
    call.on('error', () => undefined);
    const options = call.request.getOptions();
    if (faults.silent) return;
    const refusal = refusalOf(faults);
    if (refusal !== undefined || options === undefined) {
      call.emit('error', refusal ?? failure(grpc.status.INVALID_ARGUMENT, 'no options'));
      return;
    }
    if (options.hasSubscription()) return void subscribe(log, settings, call, options);
    begin(load);
    void answer(log, call, options).finally(() => (load.underWay -= 1));
  };
