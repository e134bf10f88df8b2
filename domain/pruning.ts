/** Pruning: finished jobs whose streams went to an archive. What the history keeps of them, and which jobs may go. */
import * as t from 'io-ts';
import type { JobState } from './job/state.js';
import { DecimalString } from './ledger.js';

/** What jobs of one queue had contributed to its counts, by the counts' names: enqueued, succeeded, failed, retried and so on. */
export const QueueCounters = t.type({
  wiki: t.string,
  type: t.string,
  counts: t.record(t.string, t.number),
});
export type QueueCounters = t.TypeOf<typeof QueueCounters>;

/** `revision` is that of its last event, which the archive holds. */
export const PrunedJob = t.type({ id: t.string, number: DecimalString, revision: DecimalString });
export type PrunedJob = t.TypeOf<typeof PrunedJob>;

/** `digest`: SHA-256, in hex, of the lines of these events in the file. `file`: its name, without its folder. */
export const HistoryPruned = t.type({
  streams: t.number,
  events: t.number,
  digest: t.string,
  file: t.string,
  reason: t.string,
  jobs: t.readonlyArray(PrunedJob),
  counters: t.readonlyArray(QueueCounters),
});
export type HistoryPruned = t.TypeOf<typeof HistoryPruned>;

/** Nothing can follow but an erasure: an abandoned or a cancelled job may still be made ready again. */
export const isFinished = ({ _tag }: JobState): boolean => _tag === 'Succeeded' || _tag === 'Superseded';
