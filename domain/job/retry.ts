/** When a failed attempt is tried again. Randomness is handed in. */
import { addMilliseconds } from '../instant.js';
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
