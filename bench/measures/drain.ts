/**
 * Draining what waits with one worker process: from the start of the process, and from its first job, until the last success is
 * durable; then until every table shows it. With it, the worker's memory and what the finished jobs take up.
 */
import type pg from 'pg';
import { start, type RunningProgram } from '../child.js';
import type { Contestant } from '../contestants.js';
import type { Database } from '../server.js';
import { DEADLINE_MS, produce, timeWhen, withDatabase, type Figures, type Setting } from './measuring.js';
import { bytesPerJob, tableSizes } from './storage.js';

const DONE_POLL_MS = 2;
const CAUGHT_UP_POLL_MS = 20;

/** The jobs of a drain with these settings. */
export const jobsOf = ({ share }: Contestant, jobs: number): number => Math.max(2, Math.round(jobs * share));

const startProjector = async (
  { projector, caughtUp }: Contestant,
  { url, client }: Database,
): Promise<RunningProgram | undefined> => {
  if (projector === undefined || caughtUp === undefined) return undefined;
  const running = start(projector(url));
  await timeWhen(client, caughtUp, CAUGHT_UP_POLL_MS);
  return running;
};

interface Times {
  readonly started: number;
  readonly first: number;
  readonly done: number;
}

const drain = async (
  worker: RunningProgram,
  client: pg.Client,
  contestant: Contestant,
  jobs: number,
): Promise<Times> => {
  const first = await worker.next('first', DEADLINE_MS);
  await worker.next('last', DEADLINE_MS);
  const done = await timeWhen(client, contestant.areDone(jobs), DONE_POLL_MS);
  return { started: worker.startedAt, first: first.at, done };
};

const memoryFigures = (worker: RunningProgram, projector: RunningProgram | undefined): Figures => {
  const own = worker.memory();
  const beside = projector?.memory();
  return {
    ...(own === undefined ? {} : { 'rss-peak': own.peak, 'rss-median': own.median }),
    ...(beside === undefined ? {} : { 'rss-projector': beside.peak }),
  };
};

/** Without the projector: the worker has the machine and the database to itself. */
export const measureDrainAlone = ({ contestant, database, sizes }: Setting): Promise<Figures> =>
  withDatabase(database, async ({ url, client }) => {
    const jobs = jobsOf(contestant, sizes.jobs);
    await produce(contestant, url, contestant.settings, [
      { kind: 'set-up' },
      { kind: 'fill', jobs, from: 0 },
    ]);
    const order = { expected: jobs, keepsLatencies: false };
    const worker = start(contestant.worker(url, contestant.settings), order);
    try {
      const { started, first, done } = await drain(worker, client, contestant, jobs);
      return {
        'drain-alone': (jobs * 1_000) / (done - started),
        'drain-alone-from-first': (jobs * 1_000) / (done - first),
      };
    } finally {
      await worker.end();
    }
  });

export const measureDrain = ({ contestant, database, sizes }: Setting): Promise<Figures> =>
  withDatabase(database, async (fresh) => {
    const { url, client } = fresh;
    const { settings, caughtUp } = contestant;
    const jobs = jobsOf(contestant, sizes.jobs);
    await produce(contestant, url, settings, [{ kind: 'set-up' }]);
    const before = await tableSizes(client, contestant.tablesIn);
    await produce(contestant, url, settings, [{ kind: 'fill', jobs, from: 0 }]);
    const projector = await startProjector(contestant, fresh);
    const worker = start(contestant.worker(url, settings), { expected: jobs, keepsLatencies: false });
    let rates: Figures;
    let memory: Figures;
    try {
      const { started, first, done } = await drain(worker, client, contestant, jobs);
      const shown = caughtUp === undefined ? done : await timeWhen(client, caughtUp, CAUGHT_UP_POLL_MS);
      const rate = (from: number, to: number): number => (jobs * 1_000) / (to - from);
      rates = {
        drain: rate(started, done),
        'drain-from-first': rate(first, done),
        'drain-caught-up': rate(started, shown),
      };
      memory = memoryFigures(worker, projector);
    } finally {
      await worker.end();
      await projector?.end();
    }
    // A few jobs tell nothing about memory and disk.
    if (contestant.share < 1) return rates;
    await client.query('VACUUM');
    const after = await tableSizes(client, contestant.tablesIn);
    const disk = bytesPerJob(before, after, jobs);
    return { ...rates, ...memory, ...(contestant.isOurs ? disk : { bytes: disk['bytes'] ?? 0 }) };
  });
