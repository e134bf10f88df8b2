/** Who is measured, with which settings, and how to see that their work is durably done. */
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { catchUpProjections } from '../projections/index.js';
import type { SystemSettings } from './protocol.js';

export interface Program {
  readonly node: string;
  readonly module: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Contestant {
  /** As shown: `pg-boss tuned`. */
  readonly name: string;
  /** The program in `programs/` that enqueues. */
  readonly system: string;
  readonly isOurs: boolean;
  /** Set as its documentation says for speed. */
  readonly isTuned: boolean;
  readonly settings: SystemSettings;
  /** Settings for the latency measure, where the documentation has others for it. */
  readonly latencySettings: SystemSettings;
  readonly producer: Omit<Program, 'args'>;
  readonly worker: (url: string, settings: SystemSettings) => Program;
  /** What keeps the tables that people read; runs beside. */
  readonly projector: ((url: string) => Program) | undefined;
  /** A query for whether all these jobs are durably done. */
  readonly areDone: (jobs: number) => string;
  /** A query for whether the tables that people read show all that has been written. */
  readonly caughtUp: string | undefined;
  /** Jobs of a drain, as a share of those that the others get: for settings that would take minutes. */
  readonly share: number;
  /** Whether it gets through a hundred jobs a second; where not, latency only tells how long the measure was. */
  readonly keepsPace: boolean;
  readonly tablesIn: string;
}

export const benchFolder = fileURLToPath(new URL('.', import.meta.url));
const program = (name: string): string => join(benchFolder, 'programs', name);

const dist = (name: string): string => join(benchFolder, '../dist/runners', name);

const tables = catchUpProjections.map(({ name }) => `'${name}'`).join(', ');

/** This project as it is built, on this Node.js, with nothing set. */
export const jobledger = (node: string): Contestant => {
  const settings = { library: pathToFileURL(dist('jobledger.js')).href };
  const run = (url: string, args: readonly string[]): Program => ({
    node,
    module: dist('cli.js'),
    args,
    env: { JOBLEDGER_DATABASE_URL: url },
  });
  return {
    name: 'jobledger',
    system: 'jobledger',
    isOurs: true,
    isTuned: false,
    settings,
    latencySettings: settings,
    producer: { node, module: program('produce.mjs'), env: {} },
    worker: (url) => run(url, ['work', '--handlers', program('jobledger-handlers.mjs')]),
    projector: (url) => run(url, ['project']),
    areDone: (jobs) => `SELECT count(*) >= ${jobs} FROM jobledger.event WHERE type = 'AttemptSucceeded'`,
    caughtUp: `
      SELECT count(*) = ${catchUpProjections.length}
        AND min(c.position) >= (SELECT max(e.position) FROM jobledger.event e)
      FROM jobledger.checkpoint c WHERE c.projection IN (${tables})`,
    share: 1,
    keepsPace: true,
    tablesIn: 'jobledger',
  };
};

interface Peer {
  readonly system: string;
  readonly settings: SystemSettings;
  readonly latencySettings?: SystemSettings;
  readonly env?: Readonly<Record<string, string>>;
  readonly share?: number;
  readonly keepsPace?: boolean;
}

const peer = (
  node: string,
  kind: 'tuned' | 'default',
  { system, settings, latencySettings = settings, env = {}, share = 1, keepsPace = true }: Peer,
  facts: Pick<Contestant, 'areDone' | 'tablesIn'>,
): Contestant => ({
  ...facts,
  name: `${system} ${kind}`,
  system,
  isOurs: false,
  isTuned: kind === 'tuned',
  settings,
  latencySettings,
  producer: { node, module: program('produce.mjs'), env },
  worker: (url, chosen) => ({
    node,
    module: program('work.mjs'),
    args: [JSON.stringify({ system, url, settings: chosen, tasks: [] })],
    env,
  }),
  projector: undefined,
  caughtUp: undefined,
  share,
  keepsPace,
});

const graphileFacts = {
  areDone: () => 'SELECT NOT EXISTS (SELECT FROM graphile_worker._private_jobs)',
  tablesIn: 'graphile_worker',
};

/** Tuned: the settings of the performance page of its documentation; a line of log for each success is left out. */
export const graphileWorker = (node: string): readonly Contestant[] => [
  peer(
    node,
    'tuned',
    {
      system: 'graphile-worker',
      settings: {
        preset: {
          concurrentJobs: 24,
          maxPoolSize: 25,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
      env: { NO_LOG_SUCCESS: '1' },
    },
    graphileFacts,
  ),
  peer(node, 'default', { system: 'graphile-worker', settings: {}, share: 0.1 }, graphileFacts),
];

const bossFacts = {
  areDone: () => `SELECT NOT EXISTS (SELECT FROM pgboss.job WHERE name = 'noop' AND state < 'completed')`,
  tablesIn: 'pgboss',
};

const bossWork = {
  batchSize: 1_000,
  localConcurrency: 2,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
};

/**
 * Tuned: large batches, fetched without a pause while they come back full, a pool and a partition of its own. Notification makes
 * every enqueue dearer, so it is on only where latency is measured.
 */
export const pgBoss = (node: string): readonly Contestant[] => [
  peer(
    node,
    'tuned',
    {
      system: 'pg-boss',
      settings: { boss: { max: 16 }, queue: { partition: true }, work: bossWork },
      latencySettings: {
        boss: { max: 16, useListenNotify: true },
        queue: { partition: true, notify: true },
        work: { ...bossWork, localConcurrency: 1, batchSize: 100 },
      },
    },
    bossFacts,
  ),
  // One job in two seconds.
  peer(node, 'default', { system: 'pg-boss', settings: {}, share: 0.0002, keepsPace: false }, bossFacts),
];
