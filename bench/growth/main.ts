/** `npm run bench -- growth`: the drain rate as things grow, and how fast tables are made; figures as JSON, pictures as SVG. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../../runners/cli/text-table.js';
import { benchFolder, jobledger } from '../contestants.js';
import { withDatabase } from '../measures/measuring.js';
import { digits, ratioText, withRange } from '../report.js';
import { startServer, type Server } from '../server.js';
import { spread, type Spread } from '../statistics.js';
import { measureCatchUp } from './catch-up.js';
import { comparisons, type Bench, type Comparison, type Sizes, type Variant } from './comparisons.js';
import { growingLedger, type GrowingLedger } from './ledger.js';
import { barPlot } from './plot.js';

const FULL: Sizes = {
  jobs: 20_000,
  fewReady: 10_000,
  manyReady: 1_000_000,
  events: 10_000_000,
  queues: 1_000,
  caughtUp: 4_000_000,
};
const QUICK: Sizes = {
  jobs: 4_000,
  fewReady: 1_000,
  manyReady: 20_000,
  events: 200_000,
  queues: 100,
  caughtUp: 100_000,
};

interface Row {
  readonly comparison: string;
  readonly label: string;
  readonly figure: Spread;
  /** Of the first variant's rate, round by round. */
  readonly ratio: Spread | undefined;
  readonly must: number | undefined;
}

const tell = (line: string): void => void process.stderr.write(`${line}\n`);

/** In turns, so that a slow moment of the machine is nobody's in particular. */
const roundsOf = async (
  { key, title }: Comparison,
  variants: readonly Variant[],
  rounds: number,
): Promise<readonly Row[]> => {
  const rates = variants.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [n, { label, rate }] of variants.entries()) {
      const figure = await rate();
      rates[n]?.push(figure);
      tell(`round ${round + 1} of ${rounds}: ${key}, ${label}: ${Math.round(figure)} jobs/s`);
    }
  }
  return variants.map(({ label, must }, n) => {
    const own = rates[n] ?? [];
    const ratios = own.map((rate, round) => rate / (rates[0]?.[round] ?? Number.NaN));
    return {
      comparison: title,
      label,
      figure: spread(own),
      ratio: n === 0 ? undefined : spread(ratios),
      must,
    };
  });
};

const compared = async (
  comparison: Comparison,
  bench: Omit<Bench, 'ledger'>,
  server: Server,
  rounds: number,
): Promise<readonly Row[]> => {
  const open: GrowingLedger[] = [];
  const ledger = async (): Promise<GrowingLedger> => {
    const made = await growingLedger(jobledger(process.execPath), await server.database());
    open.push(made);
    return made;
  };
  try {
    return await roundsOf(comparison, await comparison.prepare({ ...bench, ledger }), rounds);
  } finally {
    for (const each of open) await each.close();
  }
};

const picture = (rows: readonly Row[]): string => {
  const base = rows[0]?.figure.median ?? 0;
  const bars = rows.map(({ label, figure, must }) => ({
    label,
    figure,
    asked: must === undefined ? undefined : must * base,
  }));
  return barPlot(rows[0]?.comparison ?? '', 'jobs a second', bars);
};

const tableOf = (rows: readonly Row[]): string =>
  table(
    [
      { title: 'what grows', cell: ({ comparison }) => comparison },
      { title: '', cell: ({ label }) => label, align: 'right' },
      { title: 'jobs/s', cell: ({ figure }) => withRange(figure), align: 'right' },
      {
        title: 'of the first',
        cell: ({ ratio }) => (ratio === undefined ? '' : ratioText(ratio)),
        align: 'right',
      },
      { title: 'must', cell: ({ must }) => (must === undefined ? '' : `≥ ${must}`) },
    ],
    rows,
  );

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    plots: { type: 'string' },
    out: { type: 'string' },
  },
});
const sizes = values.quick === true ? QUICK : FULL;
const rounds = Number(values.rounds ?? (values.quick === true ? 2 : 3));
const chosen = values.only?.split(',') ?? [...comparisons.map(({ key }) => key), 'catch-up'];
const server = await startServer();
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(130));
try {
  const rows: Row[] = [];
  for (const comparison of comparisons.filter(({ key }) => chosen.includes(key))) {
    const measured = await compared(comparison, { sizes, report: tell }, server, rounds);
    rows.push(...measured);
    if (values.plots === undefined) continue;
    mkdirSync(values.plots, { recursive: true });
    writeFileSync(join(values.plots, `${comparison.key}.svg`), picture(measured));
  }
  process.stdout.write(tableOf(rows));
  const contestant = jobledger(process.execPath);
  const caughtUp = chosen.includes('catch-up')
    ? await withDatabase(server.database, (database) =>
        measureCatchUp(
          { sizes, report: tell, ledger: () => growingLedger(contestant, database) },
          contestant,
        ),
      )
    : undefined;
  if (caughtUp !== undefined)
    process.stdout.write(
      `${digits(caughtUp.events)} events into all tables: ${digits(caughtUp.eventsPerSecond)} a second, ${digits(caughtUp.peak ?? Number.NaN)} MB at most\n`,
    );
  const out = resolve(benchFolder, '..', values.out ?? 'bench/results-growth.json');
  writeFileSync(
    out,
    `${JSON.stringify({ at: new Date().toISOString(), sizes, rounds, rows, caughtUp }, null, 2)}\n`,
  );
} finally {
  await server.end();
}
