/** Rows of table `event` as recorded events. Columns come as text: the type parsers of a caller's own pool are not ours to trust. */
import type { Position, RecordedEvent, Revision, StreamName } from '../../domain/ledger.js';
import { readData } from '../stored-data.js';
import { metadataOfText } from '../stored-metadata.js';
import { StoreFailure } from './error-mapping.js';
import type { Cells } from './statement.js';

export const EVENT_COLUMNS = `e.position::text, e.stream, e.revision::text, e.id::text, e.type, e.data::text, e.metadata::text,
  to_char(e.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export interface EventParts {
  readonly position: Position;
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  readonly recordedAt: string;
}

export const recordedEvent = (parts: EventParts): RecordedEvent => {
  const { position, stream, revision, id, type, recordedAt } = parts;
  const read = metadataOfText(id, parts.metadata);
  if (read === undefined) {
    const message = `its metadata is not what every event carries: ${parts.metadata.slice(0, 200)}`;
    throw new StoreFailure({ _tag: 'Corrupt', stream, revision, position, message });
  }
  const { metadata } = read;
  const data = readData(type, id, read, JSON.parse(parts.data));
  return { position, stream, revision, id, type, data, metadata, recordedAt };
};

export const eventOfCells = (cells: Cells): RecordedEvent => {
  const cell = (index: number): string => cells[index] ?? '';
  return recordedEvent({
    position: BigInt(cell(0)),
    stream: cell(1),
    revision: BigInt(cell(2)),
    id: cell(3),
    type: cell(4),
    data: cell(5),
    metadata: cell(6),
    recordedAt: cell(7),
  });
};
