/** Tables for people: columns aligned, and whatever a row holds kept on its line. */

export interface Column<A> {
  readonly title: string;
  readonly cell: (row: A) => string | number | bigint | null | undefined;
  readonly align?: 'right';
}

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;
const MARKS: Readonly<Record<string, string>> = { '\n': '↵', '\r': '', '\t': ' ' };

/** Text of others as one harmless line: what would break the line or steer the terminal becomes visible. */
export const printable = (text: string): string =>
  text.replace(CONTROL, (found) => MARKS[found] ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

const widthOf = (text: string): number => Array.from(text).length;

const padded = (text: string, width: number, align: 'right' | undefined): string => {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? space + text : text + space;
};

const textOf = (value: string | number | bigint | null | undefined): string =>
  value === null || value === undefined ? '-' : printable(String(value));

export const table = <A>(columns: readonly Column<A>[], rows: readonly A[]): string => {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => textOf(cell(row)))),
  ];
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, widthOf(line[index] ?? '')), 0),
  );
  const drawn = lines.map((line) =>
    line
      .map((text, index) => padded(text, widths[index] ?? 0, columns[index]?.align))
      .join('  ')
      .trimEnd(),
  );
  return `${drawn.join('\n')}\n`;
};
