/** What all measures share: their sizes, figures, an order to a producer, and waiting for what the database shows. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { start } from '../child.js';
import type { Contestant } from '../contestants.js';
import { now } from '../programs/clock.mjs';
import type { SystemSettings, Task, TaskReport } from '../protocol.js';
import type { Database } from '../server.js';

export interface Sizes {
  /** How long each way of enqueueing goes on. */
  readonly rateMs: number;
  readonly warmUpMs: number;
  /** Jobs of a drain. */
  readonly jobs: number;
  readonly latencyJobs: number;
  readonly latencyWarmUp: number;
}

/** Figures by the measure's name. */
export type Figures = Readonly<Record<string, number>>;

export interface Setting {
  readonly contestant: Contestant;
  readonly database: () => Promise<Database>;
  readonly sizes: Sizes;
}

const DEADLINE_MS = 120_000;

/** One producer process that does these one after the other. */
export const produce = async (
  { producer, system }: Contestant,
  url: string,
  settings: SystemSettings,
  tasks: readonly Task[],
): Promise<readonly TaskReport[]> => {
  const args = [JSON.stringify({ system, url, settings, tasks })];
  const child = start({ ...producer, args });
  try {
    const reports: TaskReport[] = [];
    while (reports.length < tasks.length) reports.push(await child.next('task', DEADLINE_MS));
    await child.ended;
    return reports;
  } finally {
    await child.end();
  }
};

/** When the query's answer was true: the moment it was asked, so that the waiting for it is not counted. */
export const timeWhen = async (client: pg.Client, query: string, pollMs: number): Promise<number> => {
  const deadline = now() + DEADLINE_MS;
  for (;;) {
    const asked = now();
    const { rows } = await client.query<unknown[]>({ text: query, rowMode: 'array' });
    if (rows[0]?.[0] === true) return asked;
    if (asked > deadline) throw new Error(`it did not come true within ${DEADLINE_MS / 1_000} s: ${query}`);
    await delay(pollMs);
  }
};

export { DEADLINE_MS };

export const withDatabase = async <A>(
  open: () => Promise<Database>,
  use: (database: Database) => Promise<A>,
): Promise<A> => {
  const database = await open();
  try {
    return await use(database);
  } finally {
    await database.drop();
  }
};
