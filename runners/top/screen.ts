/** A snapshot as lines for a screen of a given size. */
import { millisecondsBetween } from '../../domain/instant.js';
import type { Json } from '../../domain/json.js';
import type { PresentRunner } from '../../projections/progress.js';
import { printable, table, type Column } from '../cli/text-table.js';
import { inWords } from '../reading/duration.js';
import type { QueueView } from '../../projections/reading-desk.js';
import { timeInWords } from '../reading/sentence.js';
import { busyQueues, type RunningAttempt, type TopSnapshot } from './snapshot.js';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const PERCENT = 100;

const isShare = (value: Json): value is number => typeof value === 'number' && value >= 0 && value <= 1;

const isCount = (value: Json): value is { readonly done: number; readonly total: number } =>
  typeof value === 'object' &&
  value !== null &&
  'done' in value &&
  'total' in value &&
  typeof value.done === 'number' &&
  typeof value.total === 'number';

export const progressInWords = (value: Json): string => {
  if (value === null) return '';
  if (isShare(value)) return `${Math.round(value * PERCENT)} %`;
  if (isCount(value)) return `${value.done} of ${value.total}`;
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
};

const finishedIn = ({ succeeded, superseded, failed }: QueueView): number => succeeded + superseded + failed;

/** Attempts ended and jobs superseded a second since the snapshot before. */
const rateOf = (
  before: TopSnapshot | undefined,
  after: TopSnapshot,
  queue: QueueView,
): number | undefined => {
  const earlier = before?.queues.find(({ wiki, type }) => wiki === queue.wiki && type === queue.type);
  const seconds = before === undefined ? 0 : millisecondsBetween(before.at, after.at) / 1_000;
  if (seconds <= 0) return undefined;
  return Math.max(0, finishedIn(queue) - (earlier === undefined ? 0 : finishedIn(earlier))) / seconds;
};

const rounded = (rate: number): string => (rate < 10 ? rate.toFixed(1) : Math.round(rate).toString());

const queueColumns = (before: TopSnapshot | undefined, after: TopSnapshot): readonly Column<QueueView>[] => {
  const count = (title: string, cell: (queue: QueueView) => number): Column<QueueView> => ({
    title,
    cell,
    align: 'right',
  });
  const rate = (queue: QueueView): string => {
    const perSecond = rateOf(before, after, queue);
    return perSecond === undefined ? '-' : rounded(perSecond);
  };
  return [
    { title: 'wiki', cell: ({ wiki }) => wiki },
    { title: 'type', cell: ({ type }) => type },
    count('ready', ({ ready }) => ready),
    count('delayed', ({ delayed }) => delayed),
    count('running', ({ claimed }) => claimed),
    count('abandoned', ({ abandoned }) => abandoned),
    { title: 'done/s', cell: rate, align: 'right' },
    {
      title: 'lag',
      cell: ({ oldestReadyAt, lagSeconds }) => (oldestReadyAt === null ? '-' : inWords(lagSeconds * 1_000)),
      align: 'right',
    },
  ];
};

const runningColumns: readonly Column<RunningAttempt>[] = [
  { title: 'running for', cell: ({ seconds }) => inWords(seconds * 1_000), align: 'right' },
  { title: 'type', cell: ({ type }) => type },
  { title: 'wiki', cell: ({ wiki }) => wiki },
  { title: 'job', cell: ({ job_id: number }) => number, align: 'right' },
  { title: 'attempt', cell: ({ attempt }) => attempt, align: 'right' },
  { title: 'runner', cell: ({ host, instance }) => `${host} ${instance}` },
  { title: 'progress', cell: ({ progress }) => progressInWords(progress) },
];

const runnerColumns = (at: string): readonly Column<PresentRunner>[] => [
  { title: 'runner', cell: ({ id }) => id },
  { title: 'host', cell: ({ host }) => host },
  { title: 'up', cell: ({ startedAt }) => inWords(millisecondsBetween(startedAt, at)), align: 'right' },
  {
    title: 'state',
    cell: ({ isLost, renewedUntil }) => (isLost ? 'lost' : renewedUntil < at ? 'overdue' : 'alive'),
  },
];

const sum = (queues: readonly QueueView[], member: 'ready' | 'delayed' | 'claimed' | 'abandoned'): number =>
  queues.reduce((total, queue) => total + queue[member], 0);

const headline = ({ at, queues, runners }: TopSnapshot): string => {
  const present = runners.filter(({ isLost }) => !isLost).length;
  const counts = [
    `${present} ${present === 1 ? 'runner' : 'runners'}`,
    `${sum(queues, 'claimed')} running`,
    `${sum(queues, 'ready')} ready`,
    `${sum(queues, 'delayed')} delayed`,
    `${sum(queues, 'abandoned')} abandoned`,
  ];
  return `${timeInWords(at)}: ${counts.join(', ')}`;
};

/** The rows that fit, and how many do not. */
const section = <A>(columns: readonly Column<A>[], rows: readonly A[], room: number): readonly string[] => {
  const shown = rows.slice(0, Math.max(1, rows.length <= room ? room : room - 1));
  const left = rows.length - shown.length;
  return [...table(columns, shown).trimEnd().split('\n'), ...(left > 0 ? [`… and ${left} more`] : [])];
};

const HEADINGS = 3;
const GAPS = 4;

export const screenOf = (
  before: TopSnapshot | undefined,
  after: TopSnapshot,
  { columns, rows }: ScreenSize,
): readonly string[] => {
  const queues = busyQueues(after).toSorted((a, b) => b.claimed - a.claimed || b.lagSeconds - a.lagSeconds);
  const room = Math.max(HEADINGS, rows - HEADINGS - GAPS);
  const queueRoom = Math.ceil(room / 3);
  const runnerRoom = Math.min(Math.max(1, after.runners.length), Math.ceil(room / 4));
  const runningRoom = Math.max(1, room - Math.min(queues.length, queueRoom) - runnerRoom);
  const lines = [
    headline(after),
    '',
    ...(queues.length === 0
      ? ['nothing waits, runs or is abandoned']
      : section(queueColumns(before, after), queues, queueRoom)),
    '',
    ...(after.runners.length === 0
      ? ['no runner is there']
      : section(runnerColumns(after.at), after.runners, runnerRoom)),
    ...(after.running.length === 0 ? [] : ['', ...section(runningColumns, after.running, runningRoom)]),
  ];
  return lines.map((line) => Array.from(line).slice(0, columns).join(''));
};
