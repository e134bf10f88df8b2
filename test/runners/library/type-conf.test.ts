// The mapping of types to policies: what is wrong with one is told with its path, and what a job says itself goes before it.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { JobSpecification } from '../../../domain/job/specification.js';
import { typeConf, withClass, withPolicy } from '../../../runners/library/queues/type-conf.js';

const flaw = (value: unknown): string => {
  const conf = typeConf(value, ['main', 'archive']);
  return E.isLeft(conf) ? `${conf.left.path} ${conf.left.message}` : 'none';
};

describe('the mapping of types to policies', () => {
  const mistakes: readonly (readonly [value: unknown, told: string])[] = [
    [7, 'typeConf is not an object of policies by type'],
    [{ sendMail: 7 }, 'typeConf.sendMail is not an object such as { retry: { maxAttempts: 3 } }'],
    [{ '': {} }, 'typeConf. the type is empty'],
    [{ sendMail: { retyr: {} } }, 'typeConf.sendMail.retyr unknown member "retyr"; did you mean "retry"?'],
    [
      { sendMail: { leaseSeconds: 0 } },
      'typeConf.sendMail leaseSeconds is 0, expected a number from 1 to 604800',
    ],
    [
      { sendMail: { class: 'urgent' } },
      'typeConf.sendMail class is "urgent", expected "high" | "normal" | "low"',
    ],
    [{ sendMail: { ignoreDuplicates: 1 } }, 'typeConf.sendMail ignoreDuplicates is 1, expected boolean'],
    [
      { sendMail: { retry: { maxAttempts: 0 } } },
      'typeConf.sendMail retry: retry.maxAttempts is not a whole number from 1 to 1000',
    ],
    [
      { sendMail: { ledger: 'mian' } },
      'typeConf.sendMail.ledger unknown ledger "mian"; did you mean "main"?',
    ],
    [{ default: { ledger: 'x' } }, 'typeConf.default.ledger unknown ledger "x"'],
  ];
  for (const [value, told] of mistakes) {
    it(`tells of ${JSON.stringify(value)}`, () => {
      expect(flaw(value)).to.equal(told);
    });
  }

  const policyOf = (value: unknown, type: string) => {
    const conf = typeConf(value, ['main', 'archive']);
    if (E.isLeft(conf)) throw new Error(conf.left.message);
    return conf.right.policyOf(type);
  };

  it('takes from the default what a type does not say', () => {
    const conf = { default: { ledger: 'main', leaseSeconds: 60 }, old: { ledger: 'archive' } };
    expect(policyOf(conf, 'old')).to.deep.equal({ ledger: 'archive', leaseSeconds: 60 });
    expect(policyOf(conf, 'new')).to.deep.equal({ ledger: 'main', leaseSeconds: 60 });
    expect(policyOf({}, 'new')).to.deep.equal({});
  });

  it('completes a job, and leaves what it says itself', () => {
    const policy = {
      class: 'high',
      ignoreDuplicates: true,
      retry: { maxAttempts: 3, backoff: { firstMs: 10 } },
    } as const;
    const added = { ignoreDuplicates: true, maxAttempts: 3, backoff: { firstMs: 10 } };
    expect(withPolicy({ type: 'a' }, policy)).to.deep.equal({ type: 'a', ...added });
    const own = { type: 'a', priority: -5, ignoreDuplicates: false, maxAttempts: 9 };
    expect(withPolicy(own, policy)).to.deep.equal({ ...own, backoff: { firstMs: 10 } });
    const unless = (isConfigured: boolean, job: JobSpecification) =>
      withClass(job, policy, () => isConfigured).priority;
    expect([unless(false, { type: 'a' }), unless(true, { type: 'a' }), unless(false, own)]).to.deep.equal([
      'high',
      undefined,
      -5,
    ]);
    expect(withPolicy({ type: 'a' }, { retry: false })).to.deep.equal({ type: 'a', maxAttempts: 1 });
  });
});
