/** A stretch of history as the net changes of one projection, as far as it can be understood. */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js';
import { decodeEvent, type LedgerEvent } from '../../domain/events.js';
import type { RecordedEvent } from '../../domain/ledger.js';
import type { Projection } from '../../projections/projection.js';
import { ChangeSet, type NetChanges } from '../../projections/row-change.js';

export type Decode = (recorded: RecordedEvent) => Either<string, LedgerEvent>;

/** Several projections read the same stretch: each event is decoded once. */
export const decodeOnce = (): Decode => {
  const known = new Map<RecordedEvent, Either<string, LedgerEvent>>();
  return (recorded) => {
    const before = known.get(recorded);
    if (before !== undefined) return before;
    const decoded = decodeEvent(recorded);
    known.set(recorded, decoded);
    return decoded;
  };
};

/** Why a stretch cannot be applied, and the index of the event that shows it. */
export interface Flaw {
  readonly index: number;
  readonly reason: string;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const foldEvents = (
  projection: Projection,
  events: readonly RecordedEvent[],
  decode: Decode,
): Either<Flaw, NetChanges> => {
  const net = new ChangeSet();
  for (const [index, recorded] of events.entries()) {
    const decoded = decode(recorded);
    if (isLeft(decoded)) return left({ index, reason: decoded.left });
    const { stream, revision, id, metadata } = recorded;
    try {
      const changes = projection.project({ stream, revision, id, metadata, event: decoded.right });
      for (const change of changes) net.fold(change);
    } catch (error) {
      // A projection is a pure function of somebody's data: what it throws tells of this event, and of nothing else.
      return left({ index, reason: messageOf(error) });
    }
  }
  return right(net.tables);
};
