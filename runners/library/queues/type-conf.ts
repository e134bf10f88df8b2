/**
 * Which policy jobs of a type have, and in which ledger they are kept: MediaWiki's `$wgJobTypeConf`. What a type does not say, `default`
 * says; what a job says itself goes before both.
 */
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { flawOf } from '../../../domain/decoding.js';
import { JobClass } from '../../../domain/job/facts.js';
import { typeFlaw } from '../../../domain/job/names.js';
import { retryFlaw, type RetryOptions } from '../../../domain/job/retry.js';
import type { JobSpecification } from '../../../domain/job/specification.js';
import { unknownName } from '../../../domain/nearest.js';
import { DEFAULT_LEASE_SECONDS } from '../../producer/job-draft.js';
import type { IsClassed } from './configured-classes.js';
import type { InvalidTypeConf } from './errors.js';

const LONGEST_LEASE_SECONDS = 7 * 24 * 3_600;

const within = (least: number, most: number) =>
  new t.Type<number, number, unknown>(
    `a number from ${least} to ${most}`,
    (value): value is number => typeof value === 'number' && value >= least && value <= most,
    (value, context) =>
      typeof value === 'number' && value >= least && value <= most
        ? t.success(value)
        : t.failure(value, context),
    t.identity,
  );

const isRetry = (value: unknown): value is RetryOptions | false =>
  value === false || retryFlaw(value) === undefined;

/** `{ maxAttempts?, backoff? }`, or `false` for one attempt. */
const Retry = new t.Type<RetryOptions | false, RetryOptions | false, unknown>(
  'retry',
  isRetry,
  (value, context) =>
    isRetry(value) ? t.success(value) : t.failure(value, context, retryFlaw(value) ?? 'is no policy'),
  t.identity,
);

const members = {
  /** Name of the ledger that keeps the jobs. */
  ledger: t.string,
  retry: Retry,
  /** For jobs that name none themselves, of queues for which none is configured. */
  class: JobClass,
  /** How long a job that was popped is its holder's. */
  leaseSeconds: within(1, LONGEST_LEASE_SECONDS),
  ignoreDuplicates: t.boolean,
};
export const TypePolicy = t.partial(members);
export type TypePolicy = t.TypeOf<typeof TypePolicy>;

export const DEFAULT = 'default';

export const leaseMsIn = ({ leaseSeconds = DEFAULT_LEASE_SECONDS }: TypePolicy): number =>
  leaseSeconds * 1_000;

export interface TypeConf {
  readonly types: readonly string[];
  readonly policyOf: (type: string) => TypePolicy;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (path: string, message: string): E.Either<InvalidTypeConf, never> =>
  E.left({ _tag: 'InvalidTypeConf', path: `typeConf${path}`, message });

const policy = (
  type: string,
  value: unknown,
  ledgers: readonly string[],
): E.Either<InvalidTypeConf, TypePolicy> => {
  const flaw = type === DEFAULT ? undefined : typeFlaw(type);
  if (flaw !== undefined) return invalid(`.${type}`, `the type ${flaw}`);
  if (!isRecord(value)) return invalid(`.${type}`, 'is not an object such as { retry: { maxAttempts: 3 } }');
  const stranger = Object.keys(value).find((name) => !Object.hasOwn(members, name));
  if (stranger !== undefined)
    return invalid(`.${type}.${stranger}`, unknownName('member', stranger, Object.keys(members)));
  const decoded = TypePolicy.decode(value);
  if (E.isLeft(decoded)) {
    const [first] = decoded.left;
    return invalid(`.${type}`, first === undefined ? 'is not valid' : flawOf(first));
  }
  const { ledger } = decoded.right;
  return ledger === undefined || ledgers.includes(ledger)
    ? decoded
    : invalid(`.${type}.ledger`, unknownName('ledger', ledger, ledgers));
};

/** @param ledgers names of the ledgers there are */
export const typeConf = (value: unknown, ledgers: readonly string[]): E.Either<InvalidTypeConf, TypeConf> => {
  if (!isRecord(value)) return invalid('', 'is not an object of policies by type');
  const policies = new Map<string, TypePolicy>();
  for (const [type, stated] of Object.entries(value)) {
    const decoded = policy(type, stated, ledgers);
    if (E.isLeft(decoded)) return decoded;
    policies.set(type, decoded.right);
  }
  const common = policies.get(DEFAULT) ?? {};
  return E.right({
    types: [...policies.keys()].filter((type) => type !== DEFAULT),
    policyOf: (type) => ({ ...common, ...policies.get(type) }),
  });
};

/** The class is the type's where neither the job says one nor, while runners run, somebody has configured one for its queue. */
export const withClass = (
  job: JobSpecification,
  policy: TypePolicy,
  isConfigured: IsClassed,
): JobSpecification =>
  policy.class === undefined ||
  job.priority !== undefined ||
  isConfigured({ wiki: job.wiki ?? 'default', type: job.type })
    ? job
    : { ...job, priority: policy.class };

/** The job as its type's policy completes it, but for its class. */
export const withPolicy = (job: JobSpecification, { retry, ...policy }: TypePolicy): JobSpecification => {
  const maxAttempts = retry === false ? 1 : retry?.maxAttempts;
  const backoff = retry === false ? undefined : retry?.backoff;
  return {
    ...(policy.ignoreDuplicates === undefined ? {} : { ignoreDuplicates: policy.ignoreDuplicates }),
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(backoff === undefined ? {} : { backoff }),
    ...stated(job),
  };
};

/** Members that are undefined count as missing, and leave the word to the policy. */
const stated = (job: JobSpecification): JobSpecification => ({
  ...Object.fromEntries(Object.entries(job).filter(([, value]) => value !== undefined)),
  type: job.type,
});
