/** A ledger in a database of its own, whose jobs are drained by worker processes again and again. */
import type pg from 'pg';
import { start, type RunningProgram } from '../child.js';
import type { Contestant } from '../contestants.js';
import { DEADLINE_MS, produce, timeWhen } from '../measures/measuring.js';
import type { Database } from '../server.js';

const POLL_MS = 5;
/** The longest fill is of a million jobs. */
const AT_A_TIME = 50_000;

export interface DrainOptions {
  readonly jobs: number;
  readonly types?: number;
  readonly workers?: number;
}

export interface GrowingLedger {
  readonly url: string;
  readonly client: pg.Client;
  readonly fill: (jobs: number, types?: number) => Promise<void>;
  /** Fills in as many jobs, and tells how many a second were worked off from the first handler until the last success was durable. */
  readonly drain: (options: DrainOptions) => Promise<number>;
  readonly close: () => Promise<void>;
}

const lastPosition = async (client: pg.Client): Promise<string> => {
  const { rows } = await client.query<{ last: string }>(
    'SELECT coalesce(max(position), 0)::text AS last FROM jobledger.event',
  );
  return rows[0]?.last ?? '0';
};

export const growingLedger = async (contestant: Contestant, database: Database): Promise<GrowingLedger> => {
  const { url, client, drop } = database;
  await produce(contestant, url, contestant.settings, [{ kind: 'set-up' }]);
  let filled = 0;

  const fill = async (jobs: number, types = 1): Promise<void> => {
    for (let left = jobs; left > 0; left -= AT_A_TIME) {
      const count = Math.min(AT_A_TIME, left);
      const settings = { ...contestant.settings, types };
      await produce(contestant, url, settings, [{ kind: 'fill', jobs: count, from: filled }]);
      filled += count;
    }
  };

  const started = (count: number, jobs: number, types: number): readonly RunningProgram[] =>
    Array.from({ length: count }, () => {
      const worker = contestant.worker(url, contestant.settings);
      const env = { ...worker.env, BENCH_TYPES: String(types) };
      return start({ ...worker, env }, { expected: jobs, keepsLatencies: false });
    });

  return {
    url,
    client,
    fill,
    drain: async ({ jobs, types = 1, workers = 1 }) => {
      await fill(jobs, types);
      const position = await lastPosition(client);
      await client.query('CHECKPOINT');
      const running = started(workers, jobs, types);
      try {
        const firsts = running.map((each) => each.next('first', DEADLINE_MS));
        for (const each of firsts) each.catch(() => undefined);
        const { at: first } = await Promise.race(firsts);
        // Several do not know of each other how many jobs they have had.
        if (workers === 1) await running[0]?.next('last', DEADLINE_MS);
        else await timeWhen(client, 'SELECT NOT EXISTS (SELECT FROM jobledger.ready_job)', POLL_MS);
        const done = `SELECT count(*) >= ${jobs} FROM jobledger.event WHERE position > ${position} AND type = 'AttemptSucceeded'`;
        return (jobs * 1_000) / ((await timeWhen(client, done, POLL_MS)) - first);
      } finally {
        await Promise.all(running.map((each) => each.end()));
      }
    },
    close: drop,
  };
};
