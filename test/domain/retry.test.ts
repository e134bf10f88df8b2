import { inspect } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { backoffMs, defaultRetry, retryPolicy, samePolicy, retryFlaw } from '../../domain/job/retry.js';
import type { RetryPolicy } from '../../domain/job/facts.js';

const policy = (backoff: Partial<RetryPolicy['backoff']>): RetryPolicy => retryPolicy({ backoff });

describe('backoffMs', () => {
  it('doubles from the first delay to the cap', () => {
    const exact = policy({ jitter: 0, firstMs: 1_000, capMs: 10_000 });
    expect([1, 2, 3, 4, 5, 90, 5_000].map((failures) => backoffMs(exact, failures, 0.5))).to.deep.equal([
      1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000,
    ]);
  });

  it('stays the same where it is fixed', () => {
    const fixed = policy({ kind: 'fixed', jitter: 0, firstMs: 700 });
    expect([1, 2, 9].map((failures) => backoffMs(fixed, failures, 0.5))).to.deep.equal([700, 700, 700]);
  });

  it('differs by no more than the jitter, to both sides, and is never below 0', () => {
    const jittery = policy({ jitter: 0.2, firstMs: 1_000 });
    expect([0, 0.5, 1].map((random) => backoffMs(jittery, 1, random))).to.deep.equal([800, 1_000, 1_200]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random, jitter) => {
          const wait = backoffMs(policy({ jitter }), failures, random);
          expect(wait).to.be.within(0, 2 * defaultRetry.backoff.capMs);
          expect(Number.isInteger(wait)).to.equal(true);
        },
      ),
    );
  });
});

describe('retryPolicy', () => {
  it('fills in what is not stated', () => {
    expect(retryPolicy({})).to.deep.equal(defaultRetry);
    expect(retryPolicy({ maxAttempts: 2 })).to.deep.equal({ ...defaultRetry, maxAttempts: 2 });
    expect(retryPolicy({ backoff: { firstMs: 5 } }).backoff).to.deep.equal({
      ...defaultRetry.backoff,
      firstMs: 5,
    });
  });

  it('is the same as another only in every part', () => {
    expect(samePolicy(defaultRetry, retryPolicy({}))).to.equal(true);
    const others = [
      retryPolicy({ maxAttempts: 2 }),
      policy({ kind: 'fixed' }),
      policy({ firstMs: 1 }),
      policy({ capMs: 1 }),
      policy({ jitter: 0 }),
    ];
    for (const other of others) expect(samePolicy(defaultRetry, other)).to.equal(false);
  });
});

describe('retryFlaw', () => {
  for (const options of [
    {},
    { maxAttempts: 1 },
    { maxAttempts: 1_000, backoff: {} },
    { backoff: { kind: 'fixed', firstMs: 0, capMs: 31_536_000_000, jitter: 1 } },
  ]) {
    it(`takes ${JSON.stringify(options)}`, () => {
      expect(retryFlaw(options)).to.equal(undefined);
    });
  }

  const refused: readonly (readonly [options: unknown, words: string])[] = [
    ['x', 'retry is neither'],
    [{ maxAttempts: Infinity }, 'retry.maxAttempts'],
    [{ maxAttempts: '3' }, 'retry.maxAttempts'],
    [{ maxAttempts: 0 }, 'retry.maxAttempts'],
    [{ maxAttempts: 7.5 }, 'retry.maxAttempts'],
    [{ maxAttempt: 3 }, 'did you mean "maxAttempts"'],
    [{ backoff: 'slow' }, 'retry.backoff'],
    [{ backoff: { kind: 'linear' } }, 'retry.backoff.kind'],
    [{ backoff: { firstMs: '1s' } }, 'retry.backoff.firstMs'],
    [{ backoff: { firstMs: -5_000 } }, 'retry.backoff.firstMs'],
    [{ backoff: { firstMs: Number.NaN } }, 'retry.backoff.firstMs'],
    [{ backoff: { capMs: Infinity } }, 'retry.backoff.capMs'],
    [{ backoff: { capMs: 4e14 } }, 'retry.backoff.capMs'],
    [{ backoff: { jitter: 1e9 } }, 'retry.backoff.jitter'],
    [{ backoff: { first: 1 } }, 'unknown member of retry.backoff'],
  ];
  for (const [options, words] of refused) {
    it(`refuses what no event could be read back with: ${inspect(options)}`, () => {
      expect(retryFlaw(options)).to.include(words);
    });
  }
});
