/** The figures of a run, and what they come to: medians with their ranges, and ours against the best of the others. */
import { median, spread, type Spread } from './statistics.js';
import type { Measure } from './targets.js';

export interface Sample {
  readonly measure: string;
  readonly contestant: string;
  readonly round: number;
  readonly value: number;
}

/** A measure that gave no figure, and why. */
export interface Failure {
  readonly measure: string;
  readonly contestant: string;
  readonly round: number;
  readonly reason: string;
}

export interface Comparison {
  /** The best of the others, by its median. */
  readonly best: string;
  /** Ours divided by that one's in each round: the median of it. */
  readonly ratio: Spread;
}

export type Verdict = 'goal' | 'must' | 'missed';

const samplesOf = (samples: readonly Sample[], measure: string, contestant: string): readonly Sample[] =>
  samples.filter((sample) => sample.measure === measure && sample.contestant === contestant);

export const figureOf = (
  samples: readonly Sample[],
  measure: string,
  contestant: string,
): Spread | undefined => {
  const values = samplesOf(samples, measure, contestant).map(({ value }) => value);
  return values.length === 0 ? undefined : spread(values);
};

export const comparisonOf = (
  samples: readonly Sample[],
  { key, better, against = key }: Measure,
  ours: string,
): Comparison | undefined => {
  const others = [
    ...new Set(
      samples
        .filter(({ measure, contestant }) => measure === against && contestant !== ours)
        .map(({ contestant }) => contestant),
    ),
  ];
  const medianOf = (contestant: string): number =>
    median(samplesOf(samples, against, contestant).map(({ value }) => value));
  const sign = better === 'more' ? -1 : 1;
  const [best] = others.toSorted((a, b) => sign * (medianOf(a) - medianOf(b)));
  if (best === undefined) return undefined;
  const theirs = new Map(samplesOf(samples, against, best).map(({ round, value }) => [round, value]));
  const ratios = samplesOf(samples, key, ours).map(
    ({ round, value }) => value / (theirs.get(round) ?? medianOf(best)),
  );
  return ratios.length === 0 ? undefined : { best, ratio: spread(ratios) };
};

/** Undefined where nothing is asked for, or nothing was measured. */
export const verdictOf = (
  { target, better }: Measure,
  figure: Spread | undefined,
  comparison: Comparison | undefined,
): Verdict | undefined => {
  const value = target?.of === 'ratio' ? comparison?.ratio.median : figure?.median;
  if (target === undefined || value === undefined) return undefined;
  const reaches = (bound: number): boolean => (better === 'more' ? value >= bound : value <= bound);
  if (reaches(target.goal)) return 'goal';
  return reaches(target.must) ? 'must' : 'missed';
};
