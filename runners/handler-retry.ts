/** How often and when a handler's failures are tried again: by a policy, or by a function of its own. */
import type { RetryPolicy } from '../domain/job/facts.js';
import { isObject } from './library/request.js';
import { retryFlaw, retryPolicy, type RetryOptions } from '../domain/job/retry.js';

/** A failure that a handler's own back-off is asked about. */
export interface Failure {
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly error: unknown;
}

/** Milliseconds until the next attempt, taken as they are, 0 to a year. */
export type BackoffFunction = (failure: Failure) => number;

export interface HandlerRetry {
  readonly maxAttempts?: number | undefined;
  readonly backoff?: RetryOptions['backoff'] | BackoffFunction;
}

const LONGEST_DELAY_MS = 31_536_000_000;

const functionOf = (retry: HandlerRetry | false | undefined): BackoffFunction | undefined =>
  retry !== undefined && retry !== false && typeof retry.backoff === 'function' ? retry.backoff : undefined;

/** The part of it that is data. */
const optionsOf = ({ maxAttempts, backoff }: HandlerRetry): RetryOptions => ({
  maxAttempts,
  backoff: typeof backoff === 'function' ? undefined : backoff,
});

export interface RetryRules {
  /** Undefined: what the enqueue says. */
  readonly retry: RetryPolicy | undefined;
  /** False: one attempt, whatever the enqueue says. */
  readonly allowsRetries: boolean;
  readonly backoffOf: BackoffFunction | undefined;
}

export const retryRules = (retry: HandlerRetry | false | undefined, allowRetries = true): RetryRules => {
  if (retry === false || !allowRetries)
    return { retry: retryPolicy({ maxAttempts: 1 }), allowsRetries: false, backoffOf: undefined };
  return {
    retry: retry === undefined ? undefined : retryPolicy(optionsOf(retry)),
    allowsRetries: true,
    backoffOf: functionOf(retry),
  };
};

export const handlerRetryFlaw = (retry: HandlerRetry | false | undefined): string | undefined => {
  if (retry === undefined || retry === false) return undefined;
  if (!isObject(retry)) return retryFlaw(retry);
  const { backoff, ...rest } = retry;
  return retryFlaw(typeof backoff === 'function' ? rest : retry);
};

/** What the handler's function says, or undefined where it gives no number that can be waited: then the policy's own back-off applies. */
export const ownDelay = (
  backoffOf: BackoffFunction | undefined,
  failure: Failure,
  log: (line: string) => void,
): number | undefined => {
  if (backoffOf === undefined) return undefined;
  try {
    const delay: unknown = backoffOf(failure);
    if (typeof delay === 'number' && delay >= 0 && delay <= LONGEST_DELAY_MS) return Math.round(delay);
    log(`its back-off function gave ${String(delay)}, which is no number of milliseconds from 0 to a year`);
  } catch {
    log('its back-off function failed itself');
  }
  return undefined;
};
