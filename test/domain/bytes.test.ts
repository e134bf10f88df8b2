import { expect } from 'chai';
import fc from 'fast-check';
import { hasLoneSurrogate, shortened, utf8Length } from '../../domain/bytes.js';
import { storableText } from '../../domain/job/error-facts.js';

const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\ud83d', '\ude00', '\u0000') });

describe('texts', () => {
  it('are measured in bytes of UTF-8', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(utf8Length(text)).to.equal(new TextEncoder().encode(text).length);
      }),
    );
  });

  it('are cut on characters, never longer than allowed, and never without a mark', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 12 }), (text, limit) => {
        const short = shortened(text, limit);
        expect(Array.from(short).length).to.be.at.most(limit);
        if (short !== text) {
          expect(short.endsWith('…')).to.equal(true);
          expect(text.startsWith(short.slice(0, -1))).to.equal(true);
          expect(Array.from(text).length).to.be.above(limit);
        }
      }),
    );
  });

  it('are made storable by marks, and left alone where they are already', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const storable = storableText(text);
        expect(hasLoneSurrogate(storable) || storable.includes('\u0000')).to.equal(false);
        expect(new TextDecoder().decode(new TextEncoder().encode(storable))).to.equal(storable);
        if (!hasLoneSurrogate(text) && !text.includes('\u0000')) expect(storable).to.equal(text);
      }),
    );
  });
});
