/** Events as the server keeps them, and back: a ledger's streams begin with its name, and what is restored keeps its time. */
import type { EventData, ResolvedEvent } from '@eventstore/db-client';
import { clientPackage } from './client-package.js';
import { left, right, type Either } from 'fp-ts/lib/Either.js';
import type { Corrupt } from '../../domain/errors.js';
import type { Position, RecordedEvent, StreamName } from '../../domain/ledger.js';
import type { EncodedAppend } from '../encoded-append.js';
import { readData } from '../stored-data.js';
import { metadataOf } from '../stored-metadata.js';

const RECORDED_AT = 'recordedAt';

export interface StreamNames {
  /** What the names of all streams of the ledger begin with. */
  readonly prefix: string;
  readonly onServer: (stream: StreamName) => string;
  readonly inLedger: (name: string) => StreamName;
}

export const streamNames = (ledger: string): StreamNames => {
  const prefix = `${ledger}_`;
  return {
    prefix,
    onServer: (stream) => prefix + stream,
    inLedger: (name) => name.slice(prefix.length),
  };
};

/** `encoded` has been through JSON once: what the client makes of the same data cannot fail any more, which it would do unheard. */
export const eventData = ({ events }: EncodedAppend): EventData[] =>
  events.map(({ id, type, kept: data, metadata, recordedAt }) => {
    const stored: unknown = JSON.parse(metadata);
    const timed =
      recordedAt === undefined ? stored : Object.assign({}, stored, { [RECORDED_AT]: recordedAt });
    return clientPackage.jsonEvent({
      id,
      type,
      data: { ...data },
      metadata: Object.assign({}, timed),
    });
  });

const recordedAtOf = (metadata: unknown, created: Date): string =>
  typeof metadata === 'object' &&
  metadata !== null &&
  RECORDED_AT in metadata &&
  typeof metadata[RECORDED_AT] === 'string'
    ? metadata[RECORDED_AT]
    : created.toISOString();

export const positionOf = ({ event, commitPosition }: ResolvedEvent): Position =>
  event?.position?.commit ?? commitPosition ?? 0n;

/** Undefined where there is no event: a link whose target is gone, which no ledger writes. */
export const recordedEvent = (
  resolved: ResolvedEvent,
  names: StreamNames,
): Either<Corrupt, RecordedEvent> | undefined => {
  const { event } = resolved;
  if (event === undefined) return undefined;
  const { id, type, revision, data } = event;
  const stream = names.inLedger(event.streamId);
  const position = positionOf(resolved);
  const read = metadataOf(id, event.metadata);
  if (read === undefined || !event.isJson) {
    const message = 'it is not what this program writes: JSON, with the metadata that every event carries';
    return left({ _tag: 'Corrupt', stream, revision, position, message });
  }
  const { metadata } = read;
  return right({
    position,
    stream,
    revision,
    id,
    type,
    data: readData(type, id, read, data),
    metadata,
    recordedAt: recordedAtOf(event.metadata, event.created),
  });
};
