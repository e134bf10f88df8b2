/** What might grow, and how much of the drain rate has to be left then. */
import { connected } from '../server.js';
import type { GrowingLedger } from './ledger.js';
import { fillHistory } from './history.js';

export interface Sizes {
  /** Jobs of each drain. */
  readonly jobs: number;
  readonly fewReady: number;
  readonly manyReady: number;
  readonly events: number;
  readonly queues: number;
  /** Events of the history from which all tables are made. */
  readonly caughtUp: number;
}

export interface Bench {
  readonly sizes: Sizes;
  readonly ledger: () => Promise<GrowingLedger>;
  readonly report: (line: string) => void;
}

export interface Variant {
  readonly label: string;
  /** Share of the first variant's rate that has to be left; of the first itself, none. */
  readonly must?: number;
  /** Jobs a second. */
  readonly rate: () => Promise<number>;
}

export interface Comparison {
  readonly key: string;
  readonly title: string;
  readonly prepare: (bench: Bench) => Promise<readonly Variant[]>;
}

const counted = (count: number): string => count.toLocaleString('en-US');

/** A transaction that sees the database as it was when it began, so that nothing deleted since can be cleared away. */
const openSnapshot = async (url: string): Promise<() => Promise<void>> => {
  const client = await connected(url);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SELECT count(*) FROM jobledger.ready_job');
  return () => client.end();
};

export const comparisons: readonly Comparison[] = [
  {
    key: 'ready',
    title: 'jobs that wait behind those that are worked off',
    prepare: async ({ ledger, sizes }) => {
      const variant = async (waiting: number): Promise<GrowingLedger> => {
        const filled = await ledger();
        await filled.fill(waiting);
        return filled;
      };
      const [few, many] = [await variant(sizes.fewReady), await variant(sizes.manyReady)];
      const { jobs } = sizes;
      return [
        { label: counted(sizes.fewReady), rate: () => few.drain({ jobs }) },
        { label: counted(sizes.manyReady), must: 0.9, rate: () => many.drain({ jobs }) },
      ];
    },
  },
  {
    key: 'history',
    title: 'events of jobs that are done',
    prepare: async ({ ledger, sizes, report }) => {
      const [none, long] = [await ledger(), await ledger()];
      await fillHistory(long, sizes.events, report);
      const { jobs } = sizes;
      return [
        { label: 'none', rate: () => none.drain({ jobs }) },
        { label: counted(sizes.events), must: 0.9, rate: () => long.drain({ jobs }) },
      ];
    },
  },
  {
    key: 'snapshot',
    title: 'a snapshot that somebody holds open',
    prepare: async ({ ledger, sizes: { jobs } }) => {
      const [without, held] = [await ledger(), await ledger()];
      return [
        { label: 'none', rate: () => without.drain({ jobs }) },
        {
          label: 'held open for the whole run',
          must: 0.5,
          rate: async () => {
            const close = await openSnapshot(held.url);
            try {
              return await held.drain({ jobs });
            } finally {
              await close();
            }
          },
        },
        { label: 'given up before', must: 0.9, rate: () => held.drain({ jobs }) },
      ];
    },
  },
  {
    key: 'queues',
    title: 'queues that are ready',
    prepare: async ({ ledger, sizes: { jobs, queues } }) => {
      const [one, many] = [await ledger(), await ledger()];
      return [
        { label: '1', rate: () => one.drain({ jobs }) },
        { label: counted(queues), must: 0.8, rate: () => many.drain({ jobs, types: queues }) },
      ];
    },
  },
  {
    key: 'workers',
    title: 'worker processes',
    prepare: async ({ ledger, sizes: { jobs } }) => {
      const [one, two] = [await ledger(), await ledger()];
      return [
        { label: '1', rate: () => one.drain({ jobs }) },
        { label: '2', must: 1.3, rate: () => two.drain({ jobs, workers: 2 }) },
      ];
    },
  },
];
