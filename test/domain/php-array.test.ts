import { expect } from 'chai';
import type { Json } from '../../domain/json.js';
import { phpSerialize } from '../../domain/job/php-array.js';

/** What serialize() of PHP 8.2 gave for json_decode() of the same value. */
const written: readonly (readonly [value: Json, serialised: string])[] = [
  [null, 'N;'],
  [true, 'b:1;'],
  [false, 'b:0;'],
  [0, 'i:0;'],
  [-7, 'i:-7;'],
  [9007199254740991, 'i:9007199254740991;'],
  [-0, 'd:-0;'],
  [0.1, 'd:0.1;'],
  [3.141569, 'd:3.141569;'],
  [100000000000000.5, 'd:100000000000000.5;'],
  [10000000000000000, 'd:10000000000000000;'],
  [100000000000000000, 'd:1.0E+17;'],
  [123456789012345680, 'd:1.2345678901234568E+17;'],
  [1e25, 'd:1.0E+25;'],
  [1.5e300, 'd:1.5E+300;'],
  [0.0001, 'd:0.0001;'],
  [0.00001, 'd:1.0E-5;'],
  [5e-324, 'd:5.0E-324;'],
  ['', 's:0:"";'],
  ['say "hi";', 's:9:"say "hi";";'],
  ['ünï', 's:5:"ünï";'],
  ['漢字 😀', 's:11:"漢字 😀";'],
  [[], 'a:0:{}'],
  [{}, 'a:0:{}'],
  [['a', 2, [true]], 'a:3:{i:0;s:1:"a";i:1;i:2;i:2;a:1:{i:0;b:1;}}'],
  [{ b: 1, a: null }, 'a:2:{s:1:"b";i:1;s:1:"a";N;}'],
  [{ '17': [0, 'Main_Page'] }, 'a:1:{i:17;a:2:{i:0;i:0;i:1;s:9:"Main_Page";}}'],
  [{ '-1': 1, '-0': 2, '007': 3, '+1': 4 }, 'a:4:{i:-1;i:1;s:2:"-0";i:2;s:3:"007";i:3;s:2:"+1";i:4;}'],
  [{ '9223372036854775807': 1 }, 'a:1:{i:9223372036854775807;i:1;}'],
  [{ '9223372036854775808': 1 }, 'a:1:{s:19:"9223372036854775808";i:1;}'],
  [{ '-9223372036854775808': 1 }, 'a:1:{i:-9223372036854775808;i:1;}'],
  [JSON.parse('{"__proto__":1}'), 'a:1:{s:9:"__proto__";i:1;}'],
];

describe('phpSerialize', () => {
  for (const [value, serialised] of written) {
    const shown = Object.is(value, -0) ? '-0' : JSON.stringify(value);
    it(`writes ${shown} as PHP does`, () => {
      expect(phpSerialize(value)).to.equal(serialised);
    });
  }

  it('counts a half surrogate pair as the three bytes that UTF-8 will have in its place', () => {
    expect(phpSerialize('\ud800')).to.equal('s:3:"\ud800";');
  });
});
