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

export const storedMetadata = (id: string, metadata: Metadata): string => {
  const { schemaVersion, correlationId, causationId, by, occurredAt } = metadata;
  return JSON.stringify({
    schemaVersion,
    by,
    occurredAt,
    causationId: causationId === id ? undefined : causationId,
    correlationId: correlationId === causationId ? undefined : correlationId,
  });
};

/** Undefined where the text is not what every event carries. */
export const metadataOf = (id: string, text: string): Metadata | undefined =>
  metadataOfStored(id, JSON.parse(text));

export const metadataOfStored = (id: string, stored: unknown): Metadata | undefined => {
  if (!StoredMetadata.is(stored)) return undefined;
  const { schemaVersion, by, occurredAt, causationId = id, correlationId = causationId } = stored;
  return { schemaVersion, correlationId, causationId, by, occurredAt };
};
