// One job's first event, and events that no program of ours would write.
import type { LedgerEvent } from '../../domain/events.js';
import type { JobEnqueued } from '../../domain/job/events.js';
import type { ExpectedRevision, NewEvent } from '../../domain/ledger.js';
import type { StreamAppend } from '../../domain/ports.js';
import { currentVersion } from '../../domain/upcast.js';
import { at, jobFacts } from './given-commands.js';
import { uuidOf } from './random-appends.js';

let count = 0;

export const rawEvent = (type: string, data: object): NewEvent => ({
  id: uuidOf(0x51, (count += 1)),
  type,
  data,
  metadata: {
    schemaVersion: currentVersion(type),
    correlationId: 'test',
    causationId: 'test',
    by: 'test',
    occurredAt: at(count),
  },
});

export const newEvent = (event: LedgerEvent): NewEvent => rawEvent(event.type, event.data);

export const appendOf = (
  stream: string,
  expected: ExpectedRevision,
  ...events: readonly LedgerEvent[]
): StreamAppend => ({ stream, expected, events: events.map(newEvent) });

/** Job numbers are unique in the `job` table: without one of its own each job here gets the next. */
export const enqueuedAppend = (stream: string, facts: Partial<JobEnqueued> = {}): StreamAppend =>
  appendOf(stream, 'no-stream', {
    type: 'JobEnqueued',
    data: jobFacts({ number: String((count += 1)), ...facts }),
  });
