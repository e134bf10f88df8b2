/** What is measured, and what of it is asked for, as a ratio to the best of the peers or as a figure of its own. */

export interface Measure {
  readonly key: string;
  readonly title: string;
  readonly unit: string;
  readonly better: 'more' | 'less';
  readonly target?: {
    readonly of: 'ratio' | 'figure';
    readonly must: number;
    readonly goal: number;
  };
  /** The peers' measure that ours is held against, where it has another key. */
  readonly against?: string;
}

const ratio = (must: number, goal: number) => ({ of: 'ratio', must, goal }) as const;
const figure = (must: number, goal: number) => ({ of: 'figure', must, goal }) as const;
const rate = { unit: 'jobs/s', better: 'more' } as const;
const memory = { unit: 'MB', better: 'less' } as const;
const disk = { unit: 'bytes', better: 'less' } as const;
const time = { unit: 'ms', better: 'less' } as const;
const rows = { unit: 'rows/s', better: 'more' } as const;

export const measures: readonly Measure[] = [
  { key: 'enqueue-1', title: 'enqueue one at a time, 1 caller', ...rate, target: ratio(1, 1.5) },
  { key: 'enqueue-16', title: 'enqueue one at a time, 16 callers', ...rate, target: ratio(4, 8) },
  { key: 'enqueue-1000', title: 'enqueue 1,000 a call', ...rate, target: ratio(1, 1.5) },
  { key: 'drain', title: 'drain, projector beside', ...rate, target: ratio(1, 1.3) },
  { key: 'drain-from-first', title: '  from the first handler on', ...rate },
  { key: 'drain-caught-up', title: '  until every table shows it', ...rate, target: ratio(0.8, 1) },
  { key: 'drain-alone', title: 'drain, no projector', ...rate, against: 'drain' },
  {
    key: 'drain-alone-from-first',
    title: '  from the first handler on',
    ...rate,
    against: 'drain-from-first',
  },
  { key: 'latency-p50', title: 'latency at 100 jobs/s, p50', ...time, target: ratio(1, 0.7) },
  { key: 'latency-p99', title: 'latency at 100 jobs/s, p99', ...time, target: ratio(1.2, 1) },
  { key: 'rss-peak', title: 'worker RSS, peak', ...memory, target: ratio(1.2, 1) },
  { key: 'rss-median', title: 'worker RSS, median', ...memory },
  { key: 'rss-projector', title: 'projector RSS, peak', ...memory },
  { key: 'bytes', title: 'kept per finished job', ...disk, target: figure(3_000, 1_800) },
  { key: 'bytes:event', title: '  event', ...disk, target: figure(1_500, 900) },
];

export const limits: readonly Measure[] = [
  { key: 'limit-commits-1', title: 'one-row inserts with commit, 1 caller', ...rows },
  { key: 'limit-commits-16', title: 'one-row inserts with commit, 16 callers', ...rows },
  { key: 'limit-rows', title: 'inserts of 1,000 rows', ...rows },
  { key: 'limit-copy', title: 'COPY of 1,000 rows', ...rows },
];

/** The other tables, as they are met. */
export const tableMeasure = (key: string): Measure => ({
  key,
  title: `  ${key.slice('bytes:'.length)}`,
  ...disk,
});
