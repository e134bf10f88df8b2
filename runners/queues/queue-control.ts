/** Pausing, resuming and configuring queues: decided on the stream of the scope, appended at the revision that was read. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { idOfText, newId } from '../../adapters/system.js';
import { unavailable } from '../../domain/errors.js';
import type { ExpectedRevision } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import { decideQueue, type QueueCommand } from '../../domain/queue/decide.js';
import type { QueueEvent } from '../../domain/queue/events.js';
import { evolveQueue, foldQueue } from '../../domain/queue/fold.js';
import type { Scope } from '../../domain/queue/scope.js';
import { queueStream, type QueueState } from '../../domain/queue/state.js';
import type { LedgerClock } from '../clock.js';
import { envelope } from '../streams/event-envelope.js';
import { appendPersistently, storeErrorOf } from '../streams/persistent-append.js';
import type { QueueError } from './errors.js';

export interface QueueControlPorts {
  readonly store: Pick<EventStore, 'append' | 'readStream'>;
  readonly clock: LedgerClock;
  /** Where the history is, unless it is in the PostgreSQL of the tables. */
  readonly elsewhere?: string | undefined;
}

/** The same for every ledger: what is decided about a scope stands in one stream. */
export const queueIdOf = ({ wiki, type }: Scope): string =>
  idOfText(JSON.stringify(['queue', wiki ?? null, type ?? null]));

/** A limit is exact because what counts a claim commits with it. */
const NO_LIMITS: QueueError = {
  _tag: 'InvalidQueue',
  path: 'running',
  message: 'and the limits per second hold only where the history is in PostgreSQL, not with an EventStoreDB',
};

const setsLimits = (command: QueueCommand): boolean =>
  command._tag === 'ConfigureQueue' &&
  [command.changes.running, command.changes.perSecond, command.changes.itemsPerSecond].some(
    (limit) => typeof limit === 'number',
  );

/** Others may decide about the same scope at the same moment. */
const TRIES = 5;

/**
 * Gives the state behind the decision.
 * @param by who decided, as the event's metadata tell
 */
export const controlQueue =
  (
    { store, clock, elsewhere }: QueueControlPorts,
    command: QueueCommand,
    by: string,
  ): TaskEither<QueueError, QueueState> =>
  async () => {
    if (elsewhere !== undefined && setsLimits(command)) return E.left(NO_LIMITS);
    const stream = queueStream(queueIdOf(command.scope));
    for (let tries = 0; tries < TRIES; tries += 1) {
      const events = await store.readStream(stream)();
      if (E.isLeft(events)) return events;
      const state = foldQueue(events.right);
      if (E.isLeft(state)) return state;
      const decision = decideQueue(command, state.right);
      if (E.isLeft(decision)) return decision;
      const origin = { commandId: newId(), by, occurredAt: clock.now() };
      const expected: ExpectedRevision = state.right.revision ?? 'no-stream';
      const append = { stream, expected, events: envelope(decision.right, origin) };
      const outcomes = await appendPersistently(store, [append]);
      if (E.isLeft(outcomes)) return outcomes;
      const [outcome] = outcomes.right;
      if (outcome !== undefined && E.isRight(outcome)) return E.right(after(state.right, decision.right));
      if (outcome !== undefined && outcome.left._tag !== 'Conflict')
        return E.left(storeErrorOf(outcome.left));
    }
    return E.left(unavailable('others decide about the same queues at this moment; try again'));
  };

const after = (state: QueueState, events: readonly QueueEvent[]): QueueState =>
  events.reduce(evolveQueue, state);
