import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { phpUnserialize, readJobParams } from '../../../adapters/mediawiki/index.js';
import type { Json } from '../../../domain/json.js';
import { phpSerialize } from '../../../domain/job/php-array.js';

const read = (text: string | Buffer) => phpUnserialize(Buffer.from(text));

/** Twice through it, negative zero and the key order that JavaScript imposes are settled. */
const settled = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

describe('phpUnserialize', () => {
  it('gives back what phpSerialize was given, lists and empty objects aside', () => {
    const key = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.integer().map(String));
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constant(null),
        fc.boolean(),
        fc.maxSafeInteger(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
        fc.string({ unit: 'grapheme' }),
        fc.array(tie('value')),
        // An object with keys 0 … n-1 is a list to PHP.
        fc.dictionary(key, tie('value'), { minKeys: 1 }).filter((object) => !Object.hasOwn(object, '0')),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        const result = phpUnserialize(Buffer.from(phpSerialize(settled(original))));
        expect(result).to.deep.equal(E.right(settled(original)));
      }),
      { numRuns: 500 },
    );
  });

  it('makes a list of keys 0 to n-1 in order, and an object of any others', () => {
    expect(read('a:2:{i:0;s:1:"a";i:1;s:1:"b";}')).to.deep.equal(E.right(['a', 'b']));
    expect(read('a:1:{i:17;a:2:{i:0;i:0;i:1;s:3:"Foo";}}')).to.deep.equal(E.right({ 17: [0, 'Foo'] }));
    expect(read('a:2:{i:1;b:1;i:0;b:0;}')).to.deep.equal(E.right({ 1: true, 0: false }));
  });

  it('makes text of integers and floats that JSON cannot carry', () => {
    expect(read('i:9007199254740991;')).to.deep.equal(E.right(9007199254740991));
    expect(read('i:9007199254740993;')).to.deep.equal(E.right('9007199254740993'));
    expect(read('i:-9223372036854775808;')).to.deep.equal(E.right('-9223372036854775808'));
    expect(read('a:3:{i:0;d:INF;i:1;d:-INF;i:2;d:NAN;}')).to.deep.equal(E.right(['INF', '-INF', 'NAN']));
    expect(read('d:1.0E+25;')).to.deep.equal(E.right(1e25));
  });

  it('makes a data URL of text that is not UTF-8, and keeps NUL', () => {
    const invalid = Buffer.concat([Buffer.from('s:2:"'), Buffer.from([0xc3, 0x28]), Buffer.from('";')]);
    expect(phpUnserialize(invalid)).to.deep.equal(E.right('data:application/octet-stream;base64,wyg='));
    expect(read('s:3:"a\0b";')).to.deep.equal(E.right('a\0b'));
  });

  it('takes quotes, semicolons and braces inside a text by its length', () => {
    expect(read('s:9:"";i:1;}";";')).to.deep.equal(E.right('";i:1;}";'));
  });

  it('keeps a key __proto__ as a key', () => {
    const result = read('a:1:{s:9:"__proto__";i:1;}');
    expect(result).to.deep.equal(E.right(JSON.parse('{"__proto__":1}')));
    expect(E.isRight(result) && Object.keys(result.right ?? {})).to.deep.equal(['__proto__']);
  });

  const refused: readonly (readonly [text: string, offset: number, message: string])[] = [
    ['', 0, 'not a serialised PHP value'],
    ['x:1;', 0, 'not a serialised PHP value'],
    ['b:2;', 2, 'expected 0; or 1;'],
    ['i:1', 2, 'expected a number and ;'],
    ['i:1.5;', 2, 'not an integer of 64 bits'],
    ['i:9223372036854775808;', 2, 'not an integer of 64 bits'],
    ['d:1,5;', 2, 'not a number'],
    ['s:9:"abc";', 2, 'a text of 9 bytes goes beyond the end'],
    ['s:2:"abc";', 7, 'expected ";'],
    ['s:-1:"";', 2, 'not a length'],
    ['a:1:{i:0;i:1;', 13, 'expected }'],
    ['a:2:{i:0;i:1;}', 13, 'expected an integer or a text as key'],
    ['a:1:{b:1;i:1;}', 5, 'expected an integer or a text as key'],
    ['a:1:{i:0;O:8:"stdClass":0:{}}', 9, 'PHP objects are not read'],
    ['a:2:{i:0;i:5;i:1;R:2;}', 17, 'PHP references are not read'],
    ['i:5;i:6;', 4, 'something follows the value'],
  ];
  for (const [text, offset, message] of refused) {
    it(`refuses ${text === '' ? 'nothing' : text} at offset ${offset}`, () => {
      expect(read(text)).to.deep.equal(E.left({ _tag: 'PhpMalformed', offset, message }));
    });
  }

  it('refuses what is nested without end instead of overflowing the stack', () => {
    const result = read('a:1:{i:0;'.repeat(100_000));
    expect(E.isLeft(result) && result.left.message).to.equal('nested deeper than 512');
  });
});

describe('readJobParams', () => {
  it('takes nothing for no params, and a list for an object', () => {
    expect(readJobParams(Buffer.from(''))).to.deep.equal(E.right({}));
    expect(readJobParams(Buffer.from('a:0:{}'))).to.deep.equal(E.right({}));
    expect(readJobParams(Buffer.from('a:1:{i:0;b:1;}'))).to.deep.equal(E.right({ 0: true }));
  });

  it('refuses anything but an array', () => {
    const result = readJobParams(Buffer.from('s:1:"a";'));
    expect(result).to.deep.equal(
      E.left({ _tag: 'PhpMalformed', offset: 0, message: 'job params are not an array' }),
    );
  });
});
