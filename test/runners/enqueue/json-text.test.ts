import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { explainFlaw } from '../../../runners/enqueue/flaw.js';
import { readJson } from '../../../runners/enqueue/json-text.js';

const refusal = (text: string): string => {
  const read = readJson(text, 'params');
  return E.isLeft(read) ? explainFlaw(read.left) : 'was read';
};

describe('readJson', () => {
  const refused: readonly (readonly [text: string, why: string])[] = [
    ['', 'is not JSON: a value is expected at position 0, where the text ends'],
    ['{"a":1', 'is not JSON: "," or "}" is expected at position 6, where the text ends'],
    ['{"a":1,}', 'is not JSON: a key in double quotes is expected at position 7, not "}"'],
    ['{a:1}', 'is not JSON: a key in double quotes is expected at position 1, not "a"'],
    ['{"a" 1}', 'is not JSON: a colon is expected at position 5, not "1"'],
    ['[1 2]', 'is not JSON: "," or "]" is expected at position 3, not "2"'],
    ['{} {}', 'is not JSON: the end is expected at position 3, not "{"'],
    ['{"a":😀}', 'is not JSON: a value is expected at position 5, not "😀"'],
    [
      '["a\nb"]',
      'is not JSON: the text that begins at position 1 does not end, or holds a control character or an unknown escape',
    ],
    [
      '{"n":9007199254740993}',
      'params.n is 9007199254740993, beyond 2^53, where whole numbers cannot be kept exactly; pass it as a text',
    ],
    ['[0,{"n":-1e400}]', 'params[1].n is -1e400, a number too large to be kept; pass it as a text'],
    ['{"n":1e-400}', 'params.n is 1e-400, a number too small to be kept; pass it as a text'],
    ['{"a":{"b":1,"c":2,"b":3}}', 'params.a.b is there twice'],
    ['{"a":1,"\\u0061":2}', 'params.a is there twice'],
  ];
  for (const [text, why] of refused) {
    it(`refuses ${text === '' ? 'nothing at all' : text.replaceAll('\n', '↵')}`, () => {
      expect(refusal(text)).to.equal(why);
    });
  }

  it('refuses what is nested deeper than any job, without running out of stack', () => {
    expect(refusal('['.repeat(1_000_000))).to.match(/is nested deeper than 500 levels$/);
  });

  it('reads a text of megabytes', () => {
    const text = JSON.stringify({ a: 'x\n"'.repeat(500_000) });
    expect(readJson(text)).to.deep.equal(E.right(JSON.parse(text)));
  });

  it('reads whatever JSON.stringify writes, as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const read = readJson(text);
        if (E.isRight(read)) expect(read.right).to.deep.equal(JSON.parse(text));
        else expect(read.left.message).to.match(/number too|beyond 2\^53|there twice/);
      }),
    );
  });

  it('refuses whatever JSON.parse refuses', () => {
    const damaged = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '}', ',', '0', '\\', '\t', 'e'));
    fc.assert(
      fc.property(damaged, ([text, where, put]) => {
        const at = where % (text.length + 1);
        const broken = text.slice(0, at) + put + text.slice(at + 1);
        const parses = E.isRight(E.tryCatch(() => JSON.parse(broken) as unknown, String));
        const { message = '' } = E.isLeft(readJson(broken)) ? (readJson(broken) as never) : { message: '' };
        if (!parses) expect(E.isLeft(readJson(broken)), broken).to.equal(true);
        else expect(message).to.not.match(/is not JSON/);
      }),
    );
  });
});
