/**
 * `queue_summary`: what each queue (wiki, type) holds and has seen, as sums over streams; and `queue_due`: how many waiting jobs
 * fall due in which minute, so that ready and delayed can be told at any moment without counting jobs (seed 002).
 */
import type { EventOf, LedgerEvent } from '../domain/events.js';
import type { ActiveState } from '../domain/job/facts.js';
import type { QueueCounters } from '../domain/pruning.js';
import { nothing } from './address.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { add, foldChanges, type KeyedChange, type TableChange } from './row-change.js';

const COUNTERS = [
  'waiting',
  'claimed',
  'abandoned',
  'enqueued',
  'succeeded',
  'failed',
  'suppressed',
  'superseded',
  'retried',
  'cancelled',
] as const;
type Counter = (typeof COUNTERS)[number];

export const queueSummaryTable: Table = {
  name: 'queue_summary',
  key: ['wiki', 'type'],
  isSum: true,
  columns: {
    wiki: 'text',
    type: 'text',
    waiting: 'bigint',
    claimed: 'bigint',
    abandoned: 'bigint',
    enqueued: 'bigint',
    succeeded: 'bigint',
    failed: 'bigint',
    suppressed: 'bigint',
    superseded: 'bigint',
    retried: 'bigint',
    cancelled: 'bigint',
  },
};

export const queueDueTable: Table = {
  name: 'queue_due',
  key: ['wiki', 'type', 'minute'],
  isSum: true,
  columns: { wiki: 'text', type: 'text', minute: 'timestamptz', jobs: 'bigint' },
};

const held: Readonly<Record<ActiveState, Counter | undefined>> = {
  Waiting: 'waiting',
  Claimed: 'claimed',
  Running: 'claimed',
  Abandoned: 'abandoned',
  Cancelled: 'cancelled',
};

type Counts = Partial<Record<Counter, number>>;

const move = (from: ActiveState, to: Counter | undefined, more: Counts = {}): Counts => {
  const left = held[from];
  const counts: Counts = { ...more };
  if (left !== undefined) counts[left] = (counts[left] ?? 0) - 1;
  if (to !== undefined) counts[to] = (counts[to] ?? 0) + 1;
  return counts;
};

const countsOf = (event: LedgerEvent): Counts | undefined => {
  switch (event.type) {
    case 'JobEnqueued':
      return { enqueued: 1, waiting: 1 };
    case 'DuplicateSuppressed':
      return { suppressed: 1 };
    case 'JobClaimed':
      return move(event.data.from, 'claimed');
    case 'AttemptSucceeded':
      return move(event.data.from, 'succeeded');
    case 'AttemptFailed':
      return { failed: 1 };
    case 'RetryScheduled':
      return move(event.data.from, 'waiting', { retried: 1 });
    case 'JobReleased':
    case 'JobRequeued':
      return move(event.data.from, 'waiting');
    case 'JobSuperseded':
      return move(event.data.from, 'superseded');
    case 'JobAbandoned':
      return move(event.data.from, 'abandoned');
    case 'JobCancelled':
      return move(event.data.from, 'cancelled');
    case 'JobErased':
      return event.data.ended ? undefined : move(event.data.from as ActiveState, 'cancelled');
    default:
      return undefined;
  }
};

/** Due times that a waiting job gains (+1) or loses (−1) with the event. */
const dueTimesOf = (event: LedgerEvent): readonly (readonly [due: string | undefined, count: 1 | -1])[] => {
  switch (event.type) {
    case 'JobEnqueued':
      return [[event.data.notBefore, 1]];
    case 'RetryScheduled':
    case 'JobReleased':
      return [[event.data.notBefore, 1]];
    case 'DuplicateSuppressed':
      return [
        [event.data.dueBefore, -1],
        [event.data.dueAfter, 1],
      ];
    case 'JobClaimed':
    case 'JobSuperseded':
    case 'JobCancelled':
    case 'JobErased':
      return [[event.data.dueAt, -1]];
    default:
      return [];
  }
};

const minuteOf = (instant: string): string => `${instant.slice(0, 16)}:00.000Z`;

const summary = (wiki: string, type: string, counts: Counts): TableChange => ({
  table: queueSummaryTable.name,
  key: `${wiki}\n${type}`,
  owner: undefined,
  change: add({ wiki, type }, counts),
});

/** What pruned jobs had contributed is there again. A counter that this version does not have is left to one that has it. */
const restored = ({ counters }: EventOf<'HistoryPruned'>['data']): readonly TableChange[] =>
  counters.map(({ wiki, type, counts }) =>
    summary(
      wiki,
      type,
      Object.fromEntries(
        COUNTERS.flatMap((name) => (Object.hasOwn(counts, name) ? [[name, counts[name]]] : [])),
      ),
    ),
  );

/** What these events have contributed in the end, by queue: without counters that they leave as they were. */
export const contributionOf = (events: readonly ProjectedEvent[]): readonly QueueCounters[] => {
  const net =
    foldChanges(events.flatMap(project)).get(queueSummaryTable.name) ?? new Map<string, KeyedChange>();
  return [...net.values()].flatMap(({ change }) => {
    if (change._tag !== 'Add') return [];
    const counts = Object.fromEntries(Object.entries(change.counters).filter(([, count]) => count !== 0));
    return [{ wiki: String(change.key['wiki']), type: String(change.key['type']), counts }];
  });
};

const project = ({ event }: ProjectedEvent): readonly TableChange[] => {
  if (event.type === 'HistoryPruned') return restored(event.data);
  const counts = countsOf(event);
  if (counts === undefined) return nothing;
  const { wiki, type } = event.data as { readonly wiki: string; readonly type: string };
  const changes: TableChange[] = [summary(wiki, type, counts)];
  for (const [due, count] of dueTimesOf(event)) {
    if (due === undefined) continue;
    const minute = minuteOf(due);
    const change = add({ wiki, type, minute }, { jobs: count });
    changes.push({ table: 'queue_due', key: `${wiki}\n${type}\n${minute}`, owner: undefined, change });
  }
  return changes;
};

export const queueSummary: Projection = {
  name: 'queue_summary',
  version: 1,
  drive: 'catch-up',
  tables: [queueSummaryTable, queueDueTable],
  handles: [
    'JobEnqueued',
    'DuplicateSuppressed',
    'JobClaimed',
    'AttemptSucceeded',
    'AttemptFailed',
    'RetryScheduled',
    'JobReleased',
    'JobRequeued',
    'JobSuperseded',
    'JobAbandoned',
    'JobCancelled',
    'JobErased',
    'HistoryPruned',
  ],
  project,
};
