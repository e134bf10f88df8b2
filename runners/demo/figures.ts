/** What became of every job, by queue, and whether it adds up. */
import { inWords } from '../reading/duration.js';
import type { QueueView } from '../../projections/reading-desk.js';
import { table, type Column } from '../cli/text-table.js';

const COUNTS = [
  'enqueued',
  'suppressed',
  'superseded',
  'succeeded',
  'retried',
  'abandoned',
  'waiting',
  'claimed',
] as const;
type Count = (typeof COUNTS)[number];

export type Figures = Readonly<Record<Count, number>> & {
  readonly type: string;
  /** How long the oldest ready job has waited; null where none is ready. */
  readonly lagSeconds: number | null;
};

export const figuresOf = (queue: QueueView): Figures => ({
  type: queue.type,
  enqueued: queue.enqueued,
  suppressed: queue.suppressed,
  superseded: queue.superseded,
  succeeded: queue.succeeded,
  retried: queue.retried,
  abandoned: queue.abandoned,
  waiting: queue.ready + queue.delayed,
  claimed: queue.claimed,
  lagSeconds: queue.oldestReadyAt === null ? null : queue.lagSeconds,
});

export const totalOf = (figures: readonly Figures[]): Figures => {
  const sum = (count: Count): number => figures.reduce((total, row) => total + row[count], 0);
  const lags = figures.flatMap(({ lagSeconds }) => (lagSeconds === null ? [] : [lagSeconds]));
  return {
    type: 'all',
    enqueued: sum('enqueued'),
    suppressed: sum('suppressed'),
    superseded: sum('superseded'),
    succeeded: sum('succeeded'),
    retried: sum('retried'),
    abandoned: sum('abandoned'),
    waiting: sum('waiting'),
    claimed: sum('claimed'),
    lagSeconds: lags.length === 0 ? null : Math.max(...lags),
  };
};

/** What was suppressed is not among the enqueued, and a job that was retried has ended or waits. */
const ENDS = ['succeeded', 'superseded', 'abandoned', 'waiting', 'claimed'] as const;

export const addsUp = (figures: Figures): boolean =>
  figures.enqueued === ENDS.reduce((sum, end) => sum + figures[end], 0);

export const equation = (total: Figures): string =>
  `${total.enqueued} enqueued ${addsUp(total) ? '=' : '≠'} ${ENDS.map((end) => `${total[end]} ${end}`).join(' + ')}`;

const columns: readonly Column<Figures>[] = [
  { title: 'queue', cell: ({ type }) => type },
  ...COUNTS.map((count): Column<Figures> => ({ title: count, cell: (row) => row[count], align: 'right' })),
  {
    title: 'lag',
    cell: ({ lagSeconds }) => (lagSeconds === null ? null : inWords(lagSeconds * 1_000)),
    align: 'right',
  },
];

export const figuresTable = (figures: readonly Figures[]): string =>
  table(columns, [...figures, totalOf(figures)]);
