// The measuring code on this project's side, with so few jobs that the figures mean nothing: it must not rot between two runs.
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jobledger } from '../../bench/contestants.js';
import { comparisonTable, limitsTable, MACHINE } from '../../bench/report.js';
import { run, stepNames } from '../../bench/run.js';
import { databaseOn } from '../../bench/server.js';
import { limits, measures } from '../../bench/targets.js';
import { testDatabase, type TestDatabase } from '../support/postgres.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const few = { rateMs: 20, warmUpMs: 5, jobs: 20, latencyJobs: 5, latencyWarmUp: 1 };

describe('the benchmark', () => {
  let server: TestDatabase;

  before(async function () {
    this.timeout(180_000);
    // What is measured is what is published; a build that is up to date costs nothing.
    const build = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { encoding: 'utf8' });
    expect(build.status, build.stderr).to.equal(0);
    server = await testDatabase();
  });

  after(() => server.drop());

  it('gives a figure for everything it measures of this project and of the machine, and shows it', async function () {
    this.timeout(180_000);
    const { samples, failures } = await run({
      contestants: [jobledger(process.execPath)],
      database: () => databaseOn(server.url),
      sizes: few,
      rounds: 1,
      completeRounds: 1,
      budgetMs: Number.POSITIVE_INFINITY,
      steps: stepNames,
      report: () => undefined,
    });
    expect(failures).to.deep.equal([]);
    const figures = new Map(samples.map(({ measure, value }) => [measure, value]));
    // Memory is read where the system tells it.
    const told = measures.filter(({ key }) => process.platform === 'linux' || !key.startsWith('rss'));
    for (const { key } of [...told, ...limits]) expect(figures.get(key), key).to.be.above(0);
    expect(samples.filter(({ contestant }) => contestant === MACHINE)).to.have.lengthOf(limits.length);
    const shown = comparisonTable(samples, ['jobledger'], 'jobledger');
    for (const { title } of told) expect(shown).to.include(title);
    for (const { title } of limits) expect(limitsTable(samples)).to.include(title);
  });
});
