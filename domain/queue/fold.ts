/** The fold of a queue's stream: what each event makes of what was decided before. */
import * as E from 'fp-ts/lib/Either.js';
import type { Corrupt } from '../errors.js';
import { decodeEvent, type LedgerEvent } from '../events.js';
import type { RecordedEvent } from '../ledger.js';
import { queueEventCodecs, type QueueEvent } from './events.js';
import { changedSettings } from './settings.js';
import { untouchedQueue, type QueueState } from './state.js';

export const evolveQueue = (state: QueueState, event: QueueEvent): QueueState => {
  const revision = state.revision === undefined ? 0n : state.revision + 1n;
  switch (event.type) {
    case 'QueuePaused':
      return { ...state, revision, paused: { why: event.data.why } };
    case 'QueueResumed':
      return { ...state, revision, paused: undefined };
    case 'QueueConfigured':
      return { ...state, revision, settings: changedSettings(event.data, {}) };
  }
};

const isQueueEvent = (event: LedgerEvent): event is QueueEvent => Object.hasOwn(queueEventCodecs, event.type);

export const foldQueue = (events: readonly RecordedEvent[]): E.Either<Corrupt, QueueState> => {
  let state = untouchedQueue;
  for (const recorded of events) {
    const { stream, revision, position } = recorded;
    const decoded = decodeEvent(recorded);
    if (E.isLeft(decoded)) {
      return E.left({ _tag: 'Corrupt', stream, revision, position, message: decoded.left });
    }
    if (!isQueueEvent(decoded.right)) {
      const message = `${recorded.type} is not an event of a queue`;
      return E.left({ _tag: 'Corrupt', stream, revision, position, message });
    }
    state = evolveQueue(state, decoded.right);
  }
  return E.right(state);
};
