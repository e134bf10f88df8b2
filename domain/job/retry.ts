/** When a failed attempt is tried again. Randomness is handed in. */
import { addMilliseconds } from '../instant.js';
import { unknownName } from '../nearest.js';
import type { RetryPolicy } from './facts.js';

export const defaultRetry: RetryPolicy = {
  maxAttempts: 5,
  backoff: { kind: 'exponential', firstMs: 1_000, capMs: 3_600_000, jitter: 0.2 },
};

/** A policy stated in part, as producers and handlers do: what is missing is the default. */
export interface RetryOptions {
  readonly maxAttempts?: number | undefined;
  readonly backoff?: Partial<RetryPolicy['backoff']> | undefined;
}

export const retryPolicy = (options: RetryOptions, base: RetryPolicy = defaultRetry): RetryPolicy => ({
  maxAttempts: options.maxAttempts ?? base.maxAttempts,
  backoff: {
    kind: options.backoff?.kind ?? base.backoff.kind,
    firstMs: options.backoff?.firstMs ?? base.backoff.firstMs,
    capMs: options.backoff?.capMs ?? base.backoff.capMs,
    jitter: options.backoff?.jitter ?? base.backoff.jitter,
  },
});

const MOST_ATTEMPTS = 1_000;
/** A year: what is due later is a matter for schedules. */
const LONGEST_DELAY_MS = 31_536_000_000;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const within =
  (least: number, most: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && value >= least && value <= most;

const isKnownKind = (value: unknown): boolean => value === 'fixed' || value === 'exponential';

const backoffMembers: Readonly<
  Record<string, readonly [isRight: (value: unknown) => boolean, words: string]>
> = {
  kind: [isKnownKind, '"fixed" or "exponential"'],
  firstMs: [within(0, LONGEST_DELAY_MS), `a number of milliseconds from 0 to ${LONGEST_DELAY_MS}`],
  capMs: [within(0, LONGEST_DELAY_MS), `a number of milliseconds from 0 to ${LONGEST_DELAY_MS}`],
  jitter: [within(0, 1), 'a number from 0 to 1'],
};

/** What is wrong with a back-off as somebody stated it, under the name it was given; or undefined. */
export const backoffFlaw = (backoff: unknown, name = 'retry.backoff'): string | undefined => {
  if (!isRecord(backoff)) return `${name} is not an object such as { firstMs: 500 }`;
  for (const [key, value] of Object.entries(backoff)) {
    const member = Object.hasOwn(backoffMembers, key) ? backoffMembers[key] : undefined;
    if (member === undefined) return unknownName(`member of ${name}`, key, Object.keys(backoffMembers));
    const [isRight, words] = member;
    if (value !== undefined && !isRight(value)) return `${name}.${key} is not ${words}`;
  }
  return undefined;
};

/** What is wrong with a policy as somebody stated it, or undefined. What is written into events has to be readable for ever. */
export const retryFlaw = (options: unknown): string | undefined => {
  if (!isRecord(options)) return 'retry is neither false nor an object such as { maxAttempts: 3 }';
  const stranger = Object.keys(options).find((name) => name !== 'maxAttempts' && name !== 'backoff');
  if (stranger !== undefined) return unknownName('member of retry', stranger, ['maxAttempts', 'backoff']);
  const { maxAttempts, backoff } = options;
  if (maxAttempts !== undefined && !(Number.isInteger(maxAttempts) && within(1, MOST_ATTEMPTS)(maxAttempts)))
    return `retry.maxAttempts is not a whole number from 1 to ${MOST_ATTEMPTS}`;
  return backoff === undefined ? undefined : backoffFlaw(backoff);
};

export const samePolicy = (a: RetryPolicy, b: RetryPolicy): boolean =>
  a.maxAttempts === b.maxAttempts &&
  a.backoff.kind === b.backoff.kind &&
  a.backoff.firstMs === b.backoff.firstMs &&
  a.backoff.capMs === b.backoff.capMs &&
  a.backoff.jitter === b.backoff.jitter;

/**
 * Milliseconds to wait behind the n-th failure.
 * @param failures from 1
 * @param random 0 … 1
 */
export const backoffMs = ({ backoff }: RetryPolicy, failures: number, random: number): number => {
  const plain =
    backoff.kind === 'fixed' ? backoff.firstMs : backoff.firstMs * 2 ** Math.min(failures - 1, 40);
  const capped = Math.min(plain, backoff.capMs);
  return Math.max(0, Math.round(capped * (1 + backoff.jitter * (2 * random - 1))));
};

export const dueAfterFailure = (policy: RetryPolicy, failures: number, random: number, now: string): string =>
  addMilliseconds(now, backoffMs(policy, failures, random));
