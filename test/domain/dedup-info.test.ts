import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { base36OfHex } from '../../domain/job/base36.js';
import { canonical, dedupInfo, jobSha1 } from '../../domain/job/dedup-info.js';
import { comparePhpKeys } from '../../domain/job/php-key-order.js';
import type { Json, JsonObject } from '../../domain/json.js';

const sha1Hex = (text: string): string => createHash('sha1').update(text).digest('hex');
const sha1Of = jobSha1(sha1Hex);

describe('dedupInfo', () => {
  it('has neither namespace nor title where a job has no page', () => {
    expect(dedupInfo({ type: 'null', params: { lives: 0 } })).to.equal(
      'a:2:{s:4:"type";s:4:"null";s:6:"params";a:1:{s:5:"lives";i:0;}}',
    );
  });

  it('has both where a job has one of them: the main namespace, or an empty title', () => {
    const page = (facts: object) => dedupInfo({ type: 't', params: {}, ...facts });
    expect(page({ title: 'Help' })).to.equal(page({ namespace: 0, title: 'Help' }));
    expect(page({ namespace: 4 })).to.equal(page({ namespace: 4, title: '' }));
    expect(page({ namespace: 0 })).not.to.equal(page({}));
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

  it('lets a namespace or title inside the params win', () => {
    const half = { type: 't', params: { title: 'Help' } };
    expect(dedupInfo({ ...half, namespace: 3, title: 'Other' })).to.equal(dedupInfo(half));
    const unset = { type: 't', params: { title: null } };
    expect(dedupInfo({ ...unset, namespace: 3, title: 'Other' }))
      .to.include('i:3;')
      .and.to.include('Other');
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
    const info = dedupInfo({ type: 't', namespace: 0, title: '', params });
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

describe('the canonical form', () => {
  const sha1OfParams = (params: JsonObject): string => sha1Of({ type: 't', params: canonical(params) });
  const shuffled = (value: Json, random: () => number): Json => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((member: Json) => shuffled(member, random));
    const entries = Object.entries<Json>(value as JsonObject).map(
      ([key, member]) => [random(), key, shuffled(member, random)] as const,
    );
    return Object.fromEntries(
      entries.toSorted(([a], [b]) => a - b).map(([, key, member]) => [key, member] as const),
    );
  };
  const key = fc.oneof(fc.string(), fc.constantFrom('10', '9', '1a', '9a', '00', '0', '-1', '1.0', '1e0'));
  const anyParams = fc
    .dictionary(key, fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue())))
    .map((params): JsonObject => JSON.parse(JSON.stringify(params)));

  it('gives equal params one hash, in whatever order their keys were written, at any depth', () => {
    fc.assert(
      fc.property(
        anyParams,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (params, drawn) => {
          const random = (): number => Number(drawn.next().value);
          expect(sha1OfParams(shuffled(params, random) as JsonObject)).to.equal(sha1OfParams(params));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is the value itself, but for the order of keys', () => {
    fc.assert(
      fc.property(anyParams, (params) => {
        expect(canonical(params)).to.deep.equal(params);
      }),
    );
  });

  it("changes nothing where nested keys stand in order: the hash is a MediaWiki Job's", () => {
    const job = {
      type: 't',
      namespace: 4,
      title: 'Help',
      params: { z: 1, range: { end: 5, start: [3, 1] } },
    };
    expect(sha1Of({ ...job, params: canonical(job.params) })).to.equal(sha1Of(job));
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
