import { expect } from 'chai';
import { mediaWikiTimestamp, newRootJobParams, rootOf, withRootTimestamp } from '../../domain/job/root.js';

const leaf = { rootJobSignature: 'abc', rootJobTimestamp: '20260301040000' };

describe('rootOf', () => {
  it('takes a job with signature and timestamp into the family, as a root only where it says so', () => {
    expect(rootOf(leaf)).to.deep.equal({ signature: 'abc', timestamp: '20260301040000', isSelf: false });
    expect(rootOf({ ...leaf, rootJobIsSelf: true })).to.have.property('isSelf', true);
    expect(rootOf({ ...leaf, rootJobIsSelf: false })).to.have.property('isSelf', false);
  });

  it('sees no family where one of the two is missing or of another form', () => {
    const others = [
      {},
      { rootJobSignature: 'abc' },
      { rootJobTimestamp: '20260301040000' },
      { ...leaf, rootJobSignature: 7 },
      { ...leaf, rootJobTimestamp: 20_260_301_040_000 },
      { ...leaf, rootJobTimestamp: '2026-03-01T04:00:00Z' },
      { ...leaf, rootJobTimestamp: '20260301040000\n' },
    ];
    for (const params of others) expect(rootOf(params)).to.equal(undefined);
  });

  it('knows the params of a new root again', () => {
    const params = newRootJobParams(
      'refreshlinks:Infobox',
      (text) => `sha1 of ${text}`,
      '2026-03-01T04:00:00.123Z',
    );
    expect(params).to.deep.equal({
      rootJobIsSelf: true,
      rootJobSignature: 'sha1 of refreshlinks:Infobox',
      rootJobTimestamp: '20260301040000',
    });
    expect(rootOf(params)).to.include({ isSelf: true, timestamp: '20260301040000' });
  });

  it('carries a raised timestamp in the params, and leaves the others as they were', () => {
    expect(withRootTimestamp({ ...leaf, a: 1 }, '20260301050000')).to.deep.equal({
      ...leaf,
      a: 1,
      rootJobTimestamp: '20260301050000',
    });
    expect(mediaWikiTimestamp('2026-03-01T04:05:06.789Z')).to.equal('20260301040506');
  });
});
