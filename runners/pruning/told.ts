/** The event that tells of a batch of pruned jobs. */
import { isLeft } from 'fp-ts/lib/Either.js';
import { newId, sha256Hex } from '../../adapters/system.js';
import { decodeEvent } from '../../domain/events.js';
import { storableText } from '../../domain/job/error-facts.js';
import type { NewEvent, RecordedEvent } from '../../domain/ledger.js';
import type { HistoryPruned } from '../../domain/pruning.js';
import type { ProjectedEvent } from '../../projections/projection.js';
import { contributionOf } from '../../projections/queue-summary.js';
import { eventText } from '../transfer/ledger-file.js';
import { envelope } from '../streams/event-envelope.js';
import type { FinishedJob } from './finished-jobs.js';

export interface Teller {
  readonly by: string;
  readonly reason: string;
  /** Name of the archive, without its folder. */
  readonly file: string;
  readonly now: string;
}

export interface PruneBatch {
  /** In the order of the history. */
  readonly events: readonly RecordedEvent[];
  /** Of the archive. */
  readonly lines: readonly string[];
  readonly told: NewEvent;
}

const projected = (recorded: RecordedEvent): readonly ProjectedEvent[] => {
  const event = decodeEvent(recorded);
  if (isLeft(event)) return [];
  const { stream, revision, id, metadata } = recorded;
  return [{ stream, revision, id, metadata, event: event.right }];
};

const byPosition = (one: RecordedEvent, other: RecordedEvent): number =>
  one.position < other.position ? -1 : 1;

export const batchOf = (jobs: readonly FinishedJob[], { by, reason, file, now }: Teller): PruneBatch => {
  const events = jobs.flatMap((job) => job.events).toSorted(byPosition);
  const lines = events.map(eventText);
  const data: HistoryPruned = {
    streams: jobs.length,
    events: events.length,
    digest: sha256Hex(lines.join('')),
    file,
    reason: storableText(reason),
    jobs: jobs.map(({ job }) => job),
    counters: contributionOf(events.flatMap(projected)),
  };
  const [told] = envelope([{ type: 'HistoryPruned', data }], { commandId: newId(), by, occurredAt: now });
  if (told === undefined) throw new Error('an event was given, and none came back');
  return { events, lines, told };
};
