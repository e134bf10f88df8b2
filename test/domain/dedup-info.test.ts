import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { base36OfHex } from '../../domain/job/base36.js';
import { dedupInfo, jobSha1 } from '../../domain/job/dedup-info.js';
import { comparePhpKeys } from '../../domain/job/php-key-order.js';

const sha1Hex = (text: string): string => createHash('sha1').update(text).digest('hex');
const sha1Of = jobSha1(sha1Hex);

describe('dedupInfo', () => {
  it('puts namespace -1 and an empty title where a job has no page', () => {
    expect(dedupInfo({ type: 'null', params: { lives: 0 } })).to.equal(
      'a:2:{s:4:"type";s:4:"null";s:6:"params";a:3:{s:5:"lives";i:0;s:9:"namespace";i:-1;s:5:"title";s:0:"";}}',
    );
  });

  it('leaves out what differs between equal jobs, and keeps what tells a root from a leaf', () => {
    const work = { rootJobIsSelf: true, table: 'pagelinks' };
    const circumstances = {
      rootJobSignature: 'abc',
      rootJobTimestamp: '20261130110329',
      jobReleaseTimestamp: 1,
      requestId: 'r',
    };
    const page = { type: 'htmlCacheUpdate', namespace: 10, title: 'Infobox' };
    expect(dedupInfo({ ...page, params: { ...circumstances, ...work } })).to.equal(
      dedupInfo({ ...page, params: work }),
    );
    expect(dedupInfo({ ...page, params: work })).to.include('rootJobIsSelf');
  });

  it('does not depend on the order of the params', () => {
    const one = dedupInfo({ type: 't', params: { a: 1, namespace: 4, b: 2 } });
    expect(dedupInfo({ type: 't', params: { b: 2, a: 1, namespace: 4 } })).to.equal(one);
  });

  it('lets a namespace and title inside the params win', () => {
    const inside = { type: 't', namespace: 3, title: 'Other', params: { namespace: 4, title: 'Help' } };
    expect(dedupInfo(inside)).to.equal(dedupInfo({ type: 't', namespace: 4, title: 'Help', params: {} }));
  });

  it("hashes the caller's own key in place of the params", () => {
    expect(dedupInfo({ type: 't', params: { a: 1 }, dedupKey: 'order-7' })).to.equal(
      'a:2:{s:4:"type";s:1:"t";s:6:"params";s:7:"order-7";}',
    );
  });

  it('sorts keys as ksort() of PHP 8.2 does', () => {
    const params = { b: 1, a: 2, '10': 3, '9': 4, '-1': 5, A: 6, é: 7, '😀': 8, '\uffff': 9 };
    const info = dedupInfo({ type: 't', params });
    const keys = [...info.slice(info.indexOf('params')).matchAll(/(?:i:(-?\d+)|s:\d+:"([^"]*)");i:-?\d/g)];
    expect(keys.map(([, integer, text]) => integer ?? text)).to.deep.equal([
      '-1',
      '9',
      '10',
      'A',
      'a',
      'b',
      'namespace',
      'é',
      '\uffff',
      '😀',
    ]);
  });
});

describe('comparePhpKeys', () => {
  it('compares as numbers what is written like numbers, and bytes otherwise', () => {
    const sorted = [
      ['9', '1e1'],
      ['01', '1.5'],
      [' 5', '10'],
      ['10x', '9'],
      ['', '-1'],
      ['-1', 'a'],
      ['9223372036854775806', '9223372036854775807'],
      ['x10', 'x9'],
    ];
    for (const [first = '', second = ''] of sorted) {
      expect(comparePhpKeys(first, second), `${first} before ${second}`).to.be.below(0);
      expect(comparePhpKeys(second, first), `${second} behind ${first}`).to.be.above(0);
    }
    expect(comparePhpKeys('00', '0')).to.equal(0);
  });
});

describe('jobSha1', () => {
  it('gives the value that a real MediaWiki stored for the same job', () => {
    const job = {
      type: 'recentChangesUpdate',
      namespace: -1,
      title: 'RecentChanges',
      params: { type: 'cacheUpdate', requestId: '9a5cc86e638eaeb7a4b53802' },
    };
    expect(sha1Of(job)).to.equal('p42glrsl783wj55io7lxhmhxf0e5db5');
  });

  it('is padded to 31 characters of base 36', () => {
    expect(base36OfHex('0'.repeat(40))).to.equal('0'.repeat(31));
    expect(base36OfHex('f'.repeat(40))).to.equal('twj4yidkw7a8pn4g709kzmfoaol3x8f');
  });
});
