// Tables for people.
import { expect } from 'chai';
import { inWords } from '../../../runners/reading/duration.js';
import { printable, table } from '../../../runners/cli/text-table.js';

describe('table', () => {
  it('aligns names to the left and numbers to the right, by characters and not by units', () => {
    const columns = [
      { title: 'name', cell: (row: { name: string }) => row.name },
      { title: 'n', cell: (row: { n?: number }) => row.n, align: 'right' as const },
    ];
    const rows = [{ name: '😀😀', n: 7 }, { name: 'plain', n: 1_234 }, { name: '' }];
    expect(table(columns, rows)).to.equal('name      n\n😀😀        7\nplain  1234\n          -\n');
  });

  it('keeps what others wrote on its line and away from the terminal', () => {
    expect(printable('a\nb\u001B[31mred\u202E')).to.equal('a↵b\\u001b[31mred\\u202e');
  });
});

describe('inWords', () => {
  it('says a duration in its two largest units', () => {
    const said = [0, 320, 1_000, 12_345, 59_999, 60_000, 200_000, 7_500_000, 86_400_000, 273_600_000].map(
      inWords,
    );
    expect(said).to.deep.equal([
      '0 ms',
      '320 ms',
      '1 s',
      '12.3 s',
      '60 s',
      '1 min',
      '3 min 20 s',
      '2 h 5 min',
      '1 d',
      '3 d 4 h',
    ]);
    expect(inWords(-5)).to.equal('0 ms');
  });
});
