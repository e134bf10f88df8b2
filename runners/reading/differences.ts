/** A difference between a table and the history, as a line. */
import type { Comparison, Difference } from '../../adapters/postgres/compare.js';

const value = (text: string | null): string => {
  if (text === null) return 'null';
  return text.length > 60 ? `${JSON.stringify(text.slice(0, 59))}…` : JSON.stringify(text);
};

export const differenceLine = ({ table, kind, key, columns }: Difference): string => {
  const where = Object.entries(key).map(([name, text]) => `${name} ${text ?? 'null'}`);
  const row = `${table}: the row of ${where.join(', ')}`;
  switch (kind) {
    case 'missing':
      return `${row} is missing`;
    case 'extra':
      return `${row} should not be there`;
    case 'different': {
      const cells = Object.entries(columns).map(
        ([name, { live, history }]) => `${name} is ${value(live)}, history says ${value(history)}`,
      );
      return `${row} differs: ${cells.join('; ')}`;
    }
  }
};

/** All differences that were kept, and how many more there are. */
export const differenceLines = ({
  differences,
  missing,
  extra,
  different,
}: Comparison): readonly string[] => {
  const more = missing + extra + different - differences.length;
  return [...differences.map(differenceLine), ...(more > 0 ? [`… and ${more} more`] : [])];
};
