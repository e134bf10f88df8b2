/**
 * Metadata as the stores keep them. Most commands write one event, which then has the command's own id: what can be told from the
 * event itself is left out, a third of an event's bytes. No causation: its own id. No correlation: the causation.
 */
import * as t from 'io-ts';
import type { Metadata } from '../domain/ledger.js';

const StoredMetadata = t.intersection([
  t.type({ schemaVersion: t.number, by: t.string, occurredAt: t.string }),
  t.partial({ correlationId: t.string, causationId: t.string }),
]);

type Stored = t.TypeOf<typeof StoredMetadata>;

// Events of one batch mostly have the same metadata, so that the last text and the last reading serve them all.
let written = { schemaVersion: 0, by: '', occurredAt: '', text: '' };
let read: { readonly text: string; readonly stored: Stored | undefined } = { text: '', stored: undefined };

export const storedMetadata = (id: string, metadata: Metadata): string => {
  const { schemaVersion, correlationId, causationId, by, occurredAt } = metadata;
  if (causationId !== id || correlationId !== causationId) {
    return JSON.stringify({
      schemaVersion,
      by,
      occurredAt,
      causationId: causationId === id ? undefined : causationId,
      correlationId: correlationId === causationId ? undefined : correlationId,
    });
  }
  if (written.occurredAt !== occurredAt || written.by !== by || written.schemaVersion !== schemaVersion) {
    written = { schemaVersion, by, occurredAt, text: JSON.stringify({ schemaVersion, by, occurredAt }) };
  }
  return written.text;
};

/** Undefined where the text is not what every event carries. */
export const metadataOf = (id: string, text: string): Metadata | undefined => {
  if (read.text !== text) read = { text, stored: asStored(JSON.parse(text)) };
  return read.stored === undefined ? undefined : completed(id, read.stored);
};

export const metadataOfStored = (id: string, value: unknown): Metadata | undefined => {
  const stored = asStored(value);
  return stored === undefined ? undefined : completed(id, stored);
};

const asStored = (value: unknown): Stored | undefined => (StoredMetadata.is(value) ? value : undefined);

const completed = (id: string, stored: Stored): Metadata => {
  const { schemaVersion, by, occurredAt, causationId = id, correlationId = causationId } = stored;
  return { schemaVersion, correlationId, causationId, by, occurredAt };
};
