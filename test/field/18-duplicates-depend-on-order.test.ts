// Field case 18: whether two jobs are equal depends neither on which came first, nor on the order of keys, nor on the process.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { column, testLedger, type TestLedger } from '../support/ledger.js';

describe('field case 18: duplicates depend on order', () => {
  let ledger: TestLedger;

  before(async () => {
    ledger = await testLedger();
  });
  after(() => ledger.drop());

  let types = 0;

  /** Outcomes of these params, enqueued one after the other as jobs of a type of their own. */
  const outcomes = async (...all: readonly object[]): Promise<readonly string[]> => {
    types += 1;
    const type = `type-${types}`;
    const told: string[] = [];
    for (const params of all) {
      const answer = await ledger.producer.enqueue({ type, params, ignoreDuplicates: true });
      told.push(E.isRight(answer) ? answer.right.outcome : answer.left._tag);
    }
    return told;
  };
  const equal = ['enqueued', 'suppressed'];
  const different = ['enqueued', 'enqueued'];

  /** Both ways round. */
  const compared = async (one: object, other: object): Promise<readonly string[]> => {
    const forth = await outcomes(one, other);
    expect(await outcomes(other, one)).to.deep.equal(forth);
    return forth;
  };

  it('params that hold more are other params, whichever come first', async () => {
    expect(await compared({}, { f: 1 })).to.deep.equal(different);
    expect(await compared({ a: { f: 1 } }, { a: { f: 1, g: 2 } })).to.deep.equal(different);
  });

  it('the order of keys does not count, at any depth', async () => {
    expect(await compared({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).to.deep.equal(equal);
    expect(await compared({ a: [{ x: 1, y: 2 }] }, { a: [{ y: 2, x: 1 }] })).to.deep.equal(equal);
    expect(await compared({ '1a': 1, '9': 2, '10': 3 }, { '10': 3, '9': 2, '1a': 1 })).to.deep.equal(equal);
  });

  it('the order of a list does', async () => {
    expect(await compared({ a: [1, 2] }, { a: [2, 1] })).to.deep.equal(different);
  });

  it('1 and 1.0 are one number, a text is another value, and −0 is 0', async () => {
    expect(await compared({ a: 1 }, JSON.parse('{"a":1.0}'))).to.deep.equal(equal);
    expect(await compared({ a: 1 }, { a: '1' })).to.deep.equal(different);
    expect(await compared({ a: 0 }, { a: -0 })).to.deep.equal(equal);
    expect(await compared({ a: false }, { a: null })).to.deep.equal(different);
  });

  it('composed and decomposed letters are different bytes', async () => {
    expect(await compared({ a: '\u00e9' }, { a: 'e\u0301' })).to.deep.equal(different);
  });

  it('an empty object is an empty list, as in PHP', async () => {
    expect(await compared({ a: {} }, { a: [] })).to.deep.equal(equal);
    expect(await compared({ a: { '0': 'x' } }, { a: ['x'] })).to.deep.equal(equal);
  });

  it('the hash is the same in every process, since it is what is written here', async () => {
    const params = { a: 1, b: { c: 2, d: [3, 'é'] } };
    await ledger.producer.enqueue({ type: 'fixed', params, ignoreDuplicates: true });
    const hashes = await column(ledger, `SELECT sha1 FROM __schema__.duplicate WHERE type = 'fixed'`);
    expect(hashes).to.deep.equal(['43wkwz7l5g857eadjh3eqm6vv1wt3tl']);
  });

  it('keys of the caller are told apart to their last character', async () => {
    const long = 'k'.repeat(900);
    const keyed = async (dedupKey: string): Promise<string> => {
      const answer = await ledger.producer.enqueue({ type: 'keyed', dedupKey, ignoreDuplicates: true });
      return E.isRight(answer) ? answer.right.outcome : `${answer.left._tag}`;
    };
    expect(await keyed(`${long}1`)).to.equal('enqueued');
    expect(await keyed(`${long}2`)).to.equal('enqueued');
    expect(await keyed(`${long}1`)).to.equal('suppressed');
    expect(await keyed(`${'k'.repeat(59)}🙂`)).to.equal('enqueued');
    expect(await keyed(`${long}\ud800`)).to.equal('InvalidSpecification');
  });
});
