// Values that JSON or jsonb cannot carry: each is refused with its path before anything is written, or comes back exactly.
import { expect } from 'chai';
import { createHash } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { jobSha1 } from '../../domain/job/dedup-info.js';
import { checkParams, MAX_PARAMS_BYTES } from '../../domain/job/params.js';
import type { JsonObject } from '../../domain/json.js';

const sha1Of = jobSha1((text) => createHash('sha1').update(text).digest('hex'));

const answer = (params: unknown): string => {
  const checked = checkParams(params);
  return E.isLeft(checked) ? `${checked.left.path} ${checked.left.message}` : 'accepted';
};

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
};

const cycle: Record<string, unknown> = {};
cycle['a'] = { back: cycle };

const sparse: unknown[] = [1];
sparse[2] = 3;

class Money {
  readonly cents = 5;
}

const withoutConstructor: unknown = Object.create(Object.create(null));

const throwing: unknown = Object.defineProperty({}, 'b', {
  enumerable: true,
  get: () => {
    throw new Error('not today');
  },
});
const hostile: unknown = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Error('not today');
    },
  },
);

/** What `params.a` is; the one answer it gets. */
const refused: readonly (readonly [what: string, value: unknown, answer: string])[] = [
  ['1n', 1n, 'params.a is a bigint, which JSON cannot carry'],
  ['a Date', new Date(0), 'params.a is a Date, not plain JSON'],
  ['NaN', NaN, 'params.a is NaN, which JSON cannot carry'],
  ['Infinity', Infinity, 'params.a is Infinity, which JSON cannot carry'],
  ['-Infinity', -Infinity, 'params.a is -Infinity, which JSON cannot carry'],
  ['1e400', Number('1e400'), 'params.a is Infinity, which JSON cannot carry'],
  ['undefined', undefined, 'params.a is undefined, which JSON cannot carry'],
  ['a symbol', Symbol('s'), 'params.a is a symbol, which JSON cannot carry'],
  ['a function', () => 1, 'params.a is a function, which JSON cannot carry'],
  ['a text with NUL', 'a\u0000b', 'params.a holds a NUL character, which the database cannot store'],
  [
    'a key with NUL',
    { '\u0000': 1 },
    'params.a.\u0000 holds a NUL character, which the database cannot store',
  ],
  [
    'the key __proto__',
    JSON.parse('{"__proto__":1}'),
    'params.a.__proto__ is a key that JavaScript cannot carry safely',
  ],
  ['half a surrogate pair', '\uD800', 'params.a holds half a surrogate pair, which UTF-8 cannot carry'],
  ['the other half', 'x\uDC00', 'params.a holds half a surrogate pair, which UTF-8 cannot carry'],
  [
    'a key with half a pair',
    { '\uD800': 1 },
    'params.a.\uD800 holds half a surrogate pair, which UTF-8 cannot carry',
  ],
  [
    '9007199254740993',
    Number('9007199254740993'),
    'params.a is an integer beyond 2^53 (9007199254740992); pass it as a text',
  ],
  ['1e300', 1e300, 'params.a is an integer beyond 2^53 (1e+300); pass it as a text'],
  ['a cycle', cycle, 'params.a.a.back refers back to what holds it'],
  ['a toJSON function', { toJSON: () => 1 }, 'params.a has a toJSON function, not plain JSON'],
  ['a sparse array', sparse, 'params.a[1] is missing: the array has holes'],
  [
    'an array with a member beside its elements',
    Object.assign([1], { extra: 1 }),
    'params.a is an array with members besides its elements',
  ],
  ['an instance of a class', new Money(), 'params.a is a Money, not plain JSON'],
  ['an object of no known class', withoutConstructor, 'params.a is an object of a class, not plain JSON'],
  ['a Map', new Map([['k', 1]]), 'params.a is a Map, not plain JSON'],
  ['a boxed number', Object(1), 'params.a is a Number, not plain JSON'],
  ['a symbol as key', { [Symbol('s')]: 1 }, 'params.a has a symbol as key'],
  ['a getter that throws', throwing, 'params cannot be read: a getter or a proxy in it throws'],
  ['a proxy that throws', hostile, 'params cannot be read: a getter or a proxy in it throws'],
];

describe('field case 14: values that JSON cannot carry', () => {
  for (const [what, value, expected] of refused) {
    it(`refuses ${what}, with its path`, () => {
      expect(answer({ before: 1, a: value })).to.equal(expected);
    });
  }

  it('refuses nesting of 10,000 levels without falling over', () => {
    expect(answer({ a: nested(10_000) })).to.match(/^params(\.a){100} is nested deeper than 100 levels$/);
    expect(answer(nested(100))).to.equal('accepted');
  });

  it('refuses what is no object at all', () => {
    for (const params of [null, [], 'text', 1, undefined, new Money(), new Date(0)]) {
      expect(answer(params)).to.equal('params is not a JSON object');
    }
  });

  const exact: readonly (readonly [what: string, params: JsonObject])[] = [
    ['an empty text', { a: '' }],
    ['an empty key', { a: { '': 1 } }],
    ['the largest safe integer', { a: Number.MAX_SAFE_INTEGER }],
    ['a fraction', { a: 0.1 }],
    ['a number too small for most', { a: 5e-324 }],
    ['text of every plane', { a: 'ünï 漢字 😀 \u2028 \u007f \u0001' }],
    ['keys named like members of objects', { constructor: 1, hasOwnProperty: 2, toString: 'x' }],
    ['null, lists and objects', { a: [null, true, [], {}, { b: [] }] }],
    ['an object met twice', ((same) => ({ a: same, b: same }))({ c: 1 })],
  ];
  for (const [what, params] of exact) {
    it(`gives back exactly ${what}`, () => {
      const checked = checkParams(params);
      if (E.isLeft(checked)) expect.fail(checked.left.message);
      expect(JSON.parse(JSON.stringify(checked.right))).to.deep.equal(params);
    });
  }

  it('stores -0 as the 0 that it equals, so that both are one key of deduplication', () => {
    const shas = [
      { a: -0, b: [-0] },
      { a: 0, b: [0] },
    ].map((params) => {
      const checked = checkParams(params);
      if (E.isLeft(checked)) expect.fail(checked.left.message);
      return sha1Of({ type: 'null', params: checked.right });
    });
    expect(shas[0]).to.equal(shas[1]);
  });

  it('accepts an object without prototype, as JSON parsers of some libraries give', () => {
    expect(answer(Object.assign(Object.create(null), { a: 1 }))).to.equal('accepted');
  });

  it('counts the limit in bytes of UTF-8', () => {
    const frame = JSON.stringify({ a: '' }).length;
    expect(answer({ a: 'x'.repeat(MAX_PARAMS_BYTES - frame) })).to.equal('accepted');
    expect(answer({ a: 'x'.repeat(MAX_PARAMS_BYTES - frame + 1) })).to.equal(
      'params has 65537 bytes as JSON, at most 65536 are allowed',
    );
    expect(answer({ a: 'é'.repeat(40_000) })).to.equal(
      'params has 80008 bytes as JSON, at most 65536 are allowed',
    );
  });
});
