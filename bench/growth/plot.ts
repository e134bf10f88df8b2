/** A comparison as a picture: a bar for each variant's median, a line for its range, and what is asked for. */
import type { Spread } from '../statistics.js';

export interface Bar {
  readonly label: string;
  readonly figure: Spread;
  /** What it should reach, in the unit of the figure. */
  readonly asked: number | undefined;
}

const WIDTH = 720;
const LEFT = 210;
const RIGHT = 90;
const TOP = 44;
const BAR = 26;
const GAP = 14;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const rounded = (value: number): string => value.toFixed(1);

export const barPlot = (title: string, unit: string, bars: readonly Bar[]): string => {
  const most = Math.max(...bars.flatMap(({ figure, asked = 0 }) => [figure.most, asked]));
  const along = (value: number): number => LEFT + (value / most) * (WIDTH - LEFT - RIGHT);
  const height = TOP + bars.length * (BAR + GAP) + 20;
  const drawn = bars.map(({ label, figure, asked }, n) => {
    const top = TOP + n * (BAR + GAP);
    const middle = top + BAR / 2;
    const [x, least, high] = [along(figure.median), along(figure.least), along(figure.most)].map(rounded);
    const mark =
      asked === undefined
        ? ''
        : `<line class="asked" x1="${rounded(along(asked))}" x2="${rounded(along(asked))}" y1="${top - 4}" y2="${top + BAR + 4}"/>`;
    return [
      `<text x="${LEFT - 10}" y="${middle + 4}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${LEFT}" y="${top}" width="${rounded(along(figure.median) - LEFT)}" height="${BAR}"/>`,
      `<line x1="${least}" x2="${high}" y1="${middle}" y2="${middle}"/>`,
      mark,
      `<text x="${rounded(Math.max(Number(x), Number(high)) + 8)}" y="${middle + 4}">${Math.round(figure.median).toLocaleString('en-US')}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<style>text{font:13px sans-serif;fill:#333}rect{fill:#8fb3d9}line{stroke:#333;stroke-width:1.5}line.asked{stroke:#c0392b;stroke-dasharray:4 3}.note{font-size:11px;fill:#777}</style>
<rect width="${WIDTH}" height="${height}" style="fill:#fff"/>
<text x="12" y="24" style="font-weight:bold">${escaped(title)}</text>
${drawn.join('\n')}
<text class="note" x="12" y="${height - 8}">${escaped(unit)}; bar: median, line: range, dashed: asked for</text>
</svg>
`;
};
