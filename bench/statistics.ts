/** Medians, ranges and percentiles. All of them want at least one value. */

const sorted = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

/** The value below which the share lies; between two of them, the upper. */
export const percentile = (values: readonly number[], share: number): number => {
  const ordered = sorted(values);
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => {
  const ordered = sorted(values);
  const middle = ordered.length / 2;
  const upper = ordered[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((ordered[middle - 1] ?? upper) + upper) / 2 : upper;
};

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export const spread = (values: readonly number[]): Spread => ({
  median: median(values),
  least: Math.min(...values),
  most: Math.max(...values),
});
