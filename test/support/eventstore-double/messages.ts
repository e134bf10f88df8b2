// The double's words on the wire: messages of the client package's generated code.
import * as grpc from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Expected, LogRecord, Proposed } from './log.js';

const known = new WeakMap<LogRecord, streams.ReadResp>();

/** Made into bytes once, however many read it: a server sends what lies on its disk. */
export const readEvent = (record: LogRecord): streams.ReadResp => {
  const standing = known.get(record);
  if (standing !== undefined) return standing;
  const bytes = eventMessage(record).serializeBinary();
  const message = Object.assign(new streams.ReadResp(), { serializeBinary: () => bytes });
  known.set(record, message);
  return message;
};

const eventMessage = (record: LogRecord): streams.ReadResp => {
  const event = new streams.ReadResp.ReadEvent.RecordedEvent();
  event.setId(new shared.UUID().setString(record.id));
  event.setStreamIdentifier(streamIdentifier(record.stream));
  event.setStreamRevision(record.revision.toString());
  event.setCommitPosition(record.position.toString());
  event.setPreparePosition(record.position.toString());
  event.setCustomMetadata(record.metadata);
  event.setData(record.data);
  const map = event.getMetadataMap();
  map.set('type', record.type);
  map.set('content-type', record.isJson ? 'application/json' : 'application/octet-stream');
  map.set('created', record.created.toString());
  const read = new streams.ReadResp.ReadEvent();
  read.setEvent(event);
  read.setCommitPosition(record.position.toString());
  return new streams.ReadResp().setEvent(read);
};

const streamIdentifier = (stream: string): shared.StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8'));

export const nameOf = (identifier: shared.StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

export const confirmation = (id: string): streams.ReadResp =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(id),
  );
export const caughtUp = (): streams.ReadResp =>
  new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
export const fellBehind = (): streams.ReadResp =>
  new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind());

export const checkpoint = (position: bigint): streams.ReadResp => {
  const at = new streams.ReadResp.Checkpoint();
  at.setCommitPosition(position.toString()).setPreparePosition(position.toString());
  return new streams.ReadResp().setCheckpoint(at);
};

export const streamNotFound = (stream: string): streams.ReadResp =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)),
  );

export const expectedOf = (options: streams.AppendReq.Options | streams.DeleteReq.Options): Expected => {
  if (options.hasRevision()) return BigInt(options.getRevision());
  if (options.hasNoStream()) return 'no-stream';
  return options.hasStreamExists() ? 'stream-exists' : 'any';
};

export const proposedOf = (
  message: streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage,
): Proposed => ({
  id: message.getId()?.getString() ?? '',
  type: message.getMetadataMap().get('type') ?? '',
  isJson: message.getMetadataMap().get('content-type') === 'application/json',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

/** A failed call as the server tells it: a status, and trailers by which the client knows the kind. */
export const failure = (
  code: grpc.status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): Error & { code: grpc.status; details: string; metadata: grpc.Metadata } => {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
};
