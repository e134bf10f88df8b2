import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { addMilliseconds, millisecondsBetween, parseInstant } from '../../domain/instant.js';

describe('parseInstant', () => {
  const read: readonly (readonly [text: string, instant: string])[] = [
    ['2026-11-01T01:30:00Z', '2026-11-01T01:30:00.000Z'],
    ['2026-11-01T01:30-04:00', '2026-11-01T05:30:00.000Z'],
    ['2026-11-01T01:30-05:00', '2026-11-01T06:30:00.000Z'],
    ['2026-11-01T01:30:00.5+0530', '2026-10-31T20:00:00.500Z'],
    ['2026-11-01T01:30:00.123456789Z', '2026-11-01T01:30:00.123Z'],
    ['2028-02-29T00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2026-12-31T24:00Z', '2027-01-01T00:00:00.000Z'],
  ];
  for (const [text, instant] of read) {
    it(`reads ${text}`, () => {
      expect(parseInstant(text)).to.deep.equal(E.right(instant));
    });
  }

  it('refuses a local time, which names two instants when clocks change', () => {
    for (const text of [
      '2026-11-01T01:30',
      '2026-11-01',
      '2026-11-01 01:30Z',
      'tomorrow',
      '',
      '1772337600',
    ]) {
      expect(parseInstant(text))
        .to.have.property('left')
        .that.matches(/is not an instant with an offset/);
    }
  });

  it('refuses a year that PostgreSQL does not have, and those that cannot be added to', () => {
    for (const text of ['0000-01-01T00:00Z', '0001-01-01T00:00+14:00', '9999-12-31T23:59Z']) {
      expect(parseInstant(text), text).to.have.property('left');
    }
  });

  it('refuses a day that the calendar does not have, rather than taking the next', () => {
    const days = ['2026-02-29', '2026-02-30', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-32'];
    for (const day of days) {
      expect(parseInstant(`${day}T00:00Z`), day).to.deep.equal(
        E.left(`"${day}T00:00Z" is not a date of the calendar`),
      );
    }
    expect(E.isLeft(parseInstant('2026-01-01T25:00Z'))).to.equal(true);
    expect(E.isLeft(parseInstant('2026-01-01T00:00+99:99'))).to.equal(true);
  });

  it('refuses years that would not sort as texts', () => {
    for (const text of ['9999-12-31T23:59:59-01:00', '0000-01-01T00:00+01:00']) {
      expect(E.isLeft(parseInstant(text)), text).to.equal(true);
    }
  });

  it('sorts as texts as it does in time', () => {
    expect(addMilliseconds('2026-12-31T23:59:59.999Z', 1)).to.equal('2027-01-01T00:00:00.000Z');
    expect(millisecondsBetween('2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z')).to.equal(1);
  });
});
