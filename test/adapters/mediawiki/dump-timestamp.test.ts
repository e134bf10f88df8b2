import { expect } from 'chai';
import { isoTimestamp } from '../../../adapters/mediawiki/dump/dump-timestamp.js';

describe('a timestamp of a job table', () => {
  it('is read in both of its notations', () => {
    expect(isoTimestamp('20261130110151')).to.equal('2026-11-30T11:01:51Z');
    expect(isoTimestamp('2026-11-30 13:01:51+02')).to.equal('2026-11-30T11:01:51Z');
  });

  it('is refused where its year is none that PostgreSQL has', () => {
    for (const text of ['00000101000000', '0000-01-01 00:00:00+00', '0001-01-01 00:00:00+14']) {
      expect(isoTimestamp(text), text).to.equal(undefined);
    }
  });
});
