/** `npm run bench`: the rounds on one server, the tables, and the figures as JSON. scripts/bench.mjs has built and installed. */
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { benchFolder, graphileWorker, jobledger, pgBoss, type Contestant } from './contestants.js';
import { nodeVersion, peersNode, peerVersion, versionOf } from './installed.js';
import { readOptions, usage, type Options } from './options.js';
import { comparisonTable, failureLines, limitsTable } from './report.js';
import { run, type Results } from './run.js';
import { startServer, type Server } from './server.js';

const root = resolve(benchFolder, '..');
const tell = (line: string): void => void process.stderr.write(`${line}\n`);

const contestantsOf = ({ systems, onSameNode }: Options): readonly Contestant[] => {
  const newer = peersNode();
  const ours = jobledger(onSameNode ? (newer ?? process.execPath) : process.execPath);
  if (newer === undefined)
    tell(
      'graphile-worker and pg-boss are left out: they need Node.js 22.18 or newer, and there is none here',
    );
  const peers = newer === undefined ? [] : [...graphileWorker(newer), ...pgBoss(newer)];
  return [ours, ...peers].filter(({ system }) => systems.includes(system));
};

const settingsOf = ({ name, producer, settings, latencySettings }: Contestant) => ({
  name,
  node: nodeVersion(producer.node),
  settings: settings.library === undefined ? settings : {},
  latencySettings: latencySettings.library === undefined ? latencySettings : {},
});

const documentOf = (
  options: Options,
  contestants: readonly Contestant[],
  server: Server,
  results: Results,
) => ({
  at: new Date().toISOString(),
  machine: {
    cpus: cpus().map(({ model }) => model),
    memoryMegabytes: Math.round(totalmem() / 1024 ** 2),
    platform: `${process.platform} ${process.arch}`,
  },
  versions: {
    jobledger: versionOf(root),
    'graphile-worker': peerVersion('graphile-worker'),
    'pg-boss': peerVersion('pg-boss'),
    postgresql: server.version,
  },
  server: server.settings,
  sizes: options.sizes,
  contestants: contestants.map(settingsOf),
  ...results,
});

const print = (contestants: readonly Contestant[], { samples, failures }: Results): void => {
  const names = contestants.map(({ name }) => name);
  process.stdout.write(`${comparisonTable(samples, names, 'jobledger')}\n${limitsTable(samples)}`);
  process.stdout.write(failureLines(failures));
};

const bench = async (options: Options): Promise<void> => {
  const begun = performance.now();
  const contestants = contestantsOf(options);
  const server = await startServer();
  const stop = (): void => void process.exit(130);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const results = await run({ ...options, contestants, database: server.database, report: tell });
    print(contestants, results);
    const document = documentOf(options, contestants, server, results);
    writeFileSync(resolve(root, options.out), `${JSON.stringify(document, null, 2)}\n`);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    tell(`${seconds} s; medians of the rounds, with the range; all figures are in ${options.out}`);
    if (results.failures.length > 0) process.exitCode = 1;
  } finally {
    await server.end();
  }
};

const args = process.argv.slice(2);
const options = readOptions(args);
if (args.includes('--help')) process.stdout.write(usage);
else if (E.isRight(options)) await bench(options.right);
else {
  tell(`${options.left}\n${usage}`);
  process.exitCode = 2;
}
