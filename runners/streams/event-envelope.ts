/** Decided events made ready for the store: ids that follow from the command's, and the metadata of every event. */
import { derivedId } from '../../adapters/system.js';
import type { LedgerEvent } from '../../domain/events.js';
import type { NewEvent } from '../../domain/ledger.js';
import { currentVersion } from '../../domain/upcast.js';

export interface Origin {
  readonly commandId: string;
  /** Producer, runner, operator or component. */
  readonly by: string;
  readonly occurredAt: string;
  readonly correlationId?: string | undefined;
}

/** With the typed event that its data were encoded from. */
export type TypedEvent = NewEvent & { readonly event: LedgerEvent };

/** The same each time, so that a retried append is recognised: the command's own id for its first event, derived ones behind it. */
export const eventIdOf = (commandId: string, index: number): string =>
  index === 0 ? commandId : derivedId(commandId, index);

export const envelope = (events: readonly LedgerEvent[], origin: Origin): readonly TypedEvent[] =>
  events.map((event, index) => ({
    id: eventIdOf(origin.commandId, index),
    type: event.type,
    event,
    data: event.data,
    metadata: {
      schemaVersion: currentVersion(event.type),
      correlationId: origin.correlationId ?? origin.commandId,
      causationId: origin.commandId,
      by: origin.by,
      occurredAt: origin.occurredAt,
    },
  }));
