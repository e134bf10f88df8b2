/** The tables that a run prints. */
import { table, type Column } from '../runners/cli/text-table.js';
import { comparisonOf, figureOf, verdictOf, type Failure, type Sample } from './samples.js';
import type { Spread } from './statistics.js';
import { limits, measures, tableMeasure, type Measure } from './targets.js';

export const digits = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 100 ? 1 : 0 });

export const withRange = ({ median, least, most }: Spread): string =>
  least === most ? digits(median) : `${digits(median)} (${digits(least)}–${digits(most)})`;

export const ratioText = ({ median, least, most }: Spread): string =>
  least === most ? median.toFixed(2) : `${median.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;

const sign = ({ better }: Measure): string => (better === 'more' ? '≥' : '≤');

const targetText = (measure: Measure, which: 'must' | 'goal'): string => {
  const { target } = measure;
  return target === undefined ? '' : `${sign(measure)} ${target[which].toLocaleString('en-US')}`;
};

/** All measures that have a figure: those known, and a row for each table met. */
const rowsOf = (samples: readonly Sample[]): readonly Measure[] => {
  const met = new Set(samples.map(({ measure }) => measure));
  const tables = [...met].filter((key) => key.startsWith('bytes:') && key !== 'bytes:event');
  return [...measures.filter(({ key }) => met.has(key)), ...tables.sort().map(tableMeasure)];
};

const figureText = (samples: readonly Sample[], measure: Measure, contestant: string): string => {
  const figure = figureOf(samples, measure.key, contestant);
  return figure === undefined ? '' : withRange(figure);
};

const comparisonColumns = (samples: readonly Sample[], ours: string): readonly Column<Measure>[] => [
  {
    title: 'ratio to the best',
    cell: (measure) => {
      const found = comparisonOf(samples, measure, ours);
      return found === undefined ? '' : `${ratioText(found.ratio)} of ${found.best}`;
    },
  },
  { title: 'must', cell: (measure) => targetText(measure, 'must') },
  { title: 'goal', cell: (measure) => targetText(measure, 'goal') },
  {
    title: 'reached',
    cell: (measure) =>
      verdictOf(measure, figureOf(samples, measure.key, ours), comparisonOf(samples, measure, ours)) ?? '',
  },
];

/** `ours` is among the contestants, or is not measured; then there is nothing to compare. */
export const comparisonTable = (
  samples: readonly Sample[],
  contestants: readonly string[],
  ours: string,
): string =>
  table(
    [
      { title: 'measure', cell: ({ title, unit }) => `${title}, ${unit}` },
      ...contestants.map((name): Column<Measure> => ({
        title: name,
        cell: (measure) => figureText(samples, measure, name),
        align: 'right',
      })),
      ...comparisonColumns(samples, ours),
    ],
    rowsOf(samples),
  );

export const MACHINE = 'machine';

export const limitsTable = (samples: readonly Sample[]): string =>
  table(
    [
      { title: 'the machine gives', cell: ({ title }) => title },
      {
        title: 'a second',
        cell: (measure) => figureText(samples, measure, MACHINE),
        align: 'right',
      },
    ],
    limits,
  );

export const failureLines = (failures: readonly Failure[]): string =>
  failures
    .map(
      ({ contestant, measure, round, reason }) =>
        `no figure: ${contestant}, ${measure}, round ${round}: ${reason}\n`,
    )
    .join('');
