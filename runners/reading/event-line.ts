/** An event as `history` and `replay` show it, and as other programs read it. */
import type { RecordedEvent } from '../../domain/ledger.js';

export const eventLine = (recorded: RecordedEvent) => {
  const { position, stream, revision, id, type, data, metadata, recordedAt } = recorded;
  return { position, stream, revision, id, type, data, metadata: { ...metadata, recordedAt } };
};
