/**
 * Metadata as the stores keep them. Most commands write one event, which then has the command's own id: what can be told from the
 * event itself is left out, a third of an event's bytes. No causation: its own id. No correlation: the causation. `brief` in the place
 * of `schemaVersion`: the data are kept brief (stored-data.ts).
 */
import * as t from 'io-ts';
import type { Metadata } from '../domain/ledger.js';

const StoredMetadata = t.intersection([
  t.type({ by: t.string, occurredAt: t.string }),
  t.partial({ schemaVersion: t.number, brief: t.number, correlationId: t.string, causationId: t.string }),
]);

type Stored = t.TypeOf<typeof StoredMetadata>;

export interface ReadMetadata {
  readonly metadata: Metadata;
  readonly isBrief: boolean;
}

// Events of one batch mostly have the same metadata, so that the last text and the last reading serve them all.
let written = { schemaVersion: 0, by: '', occurredAt: '', isBrief: false, text: '' };
let read: { readonly text: string; readonly stored: Stored | undefined } = { text: '', stored: undefined };

export const storedMetadata = (id: string, metadata: Metadata, isBrief: boolean): string => {
  const { schemaVersion, correlationId, causationId, by, occurredAt } = metadata;
  if (causationId !== id || correlationId !== causationId) {
    return JSON.stringify({
      ...versionOf(schemaVersion, isBrief),
      by,
      occurredAt,
      causationId: causationId === id ? undefined : causationId,
      correlationId: correlationId === causationId ? undefined : correlationId,
    });
  }
  if (
    written.occurredAt !== occurredAt ||
    written.by !== by ||
    written.schemaVersion !== schemaVersion ||
    written.isBrief !== isBrief
  ) {
    const text = JSON.stringify({ ...versionOf(schemaVersion, isBrief), by, occurredAt });
    written = { schemaVersion, by, occurredAt, isBrief, text };
  }
  return written.text;
};

const versionOf = (version: number, isBrief: boolean): object =>
  isBrief ? { brief: version } : { schemaVersion: version };

/** Undefined where the text is not what every event carries. */
export const metadataOfText = (id: string, text: string): ReadMetadata | undefined => {
  if (read.text !== text) read = { text, stored: asStored(JSON.parse(text)) };
  return read.stored === undefined ? undefined : completed(id, read.stored);
};

/** The same of the value that such a text stands for. */
export const metadataOf = (id: string, value: unknown): ReadMetadata | undefined => {
  const stored = asStored(value);
  return stored === undefined ? undefined : completed(id, stored);
};

const asStored = (value: unknown): Stored | undefined => (StoredMetadata.is(value) ? value : undefined);

const completed = (id: string, stored: Stored): ReadMetadata | undefined => {
  const { brief, by, occurredAt, causationId = id, correlationId = causationId } = stored;
  const schemaVersion = brief ?? stored.schemaVersion;
  if (schemaVersion === undefined) return undefined;
  const metadata = { schemaVersion, correlationId, causationId, by, occurredAt };
  return { metadata, isBrief: brief !== undefined };
};
