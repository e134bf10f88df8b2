/** What a handler can say of an attempt beside success and failure. Asked by their members: a handlers' module may hold a package of its own. */

/** Thrown by a handler: no further attempt can help. */
export class NotRetryable extends Error {
  override readonly name = 'NotRetryable';
  readonly isRetryable = false;
}

/** A year: what is due later is a matter for schedules. */
const LONGEST_SNOOZE_MS = 31_536_000_000;

const isDelay = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= LONGEST_SNOOZE_MS;

/**
 * Returned or thrown by a handler: not now. The job is put off by so many milliseconds, and the attempt does not count.
 * @throws RangeError where that is no number from 0 to a year
 */
export class Snooze extends Error {
  override readonly name = 'Snooze';
  constructor(
    readonly snoozeMs: number,
    why = 'not now',
  ) {
    super(why);
    if (!isDelay(snoozeMs))
      throw new RangeError(
        `a job can be put off by 0 to ${LONGEST_SNOOZE_MS} ms, not by ${String(snoozeMs)}`,
      );
  }
}

/** The named failure of an attempt that was not done within its handler's `timeoutMs`; its signal has fired with it. */
export class AttemptTimedOut extends Error {
  override readonly name = 'AttemptTimedOut';
  constructor(timeoutMs: number) {
    super(`the attempt took longer than its time limit of ${timeoutMs} ms`);
  }
}

export class ReturnedFalse extends Error {
  override readonly name = 'ReturnedFalse';
}

/** What a tear-down is given where the handler threw `undefined` or `null`, or its promise was rejected with that: a success has no error. */
export class FailedWithoutError extends Error {
  override readonly name = 'FailedWithoutError';
  constructor(thrown: null | undefined) {
    super(`the handler failed with ${String(thrown)} in place of an error`);
  }
}

/** What is thrown or returned may be of any shape: asking it may throw as well. */
const memberOf = (value: unknown, name: string): unknown => {
  try {
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  } catch {
    return undefined;
  }
};

export const isRetryable = (error: unknown): boolean => memberOf(error, 'isRetryable') !== false;

export interface PutOff {
  readonly milliseconds: number;
  readonly why: string;
}

export const putOffBy = (value: unknown): PutOff | undefined => {
  const milliseconds = memberOf(value, 'snoozeMs');
  if (!isDelay(milliseconds) || memberOf(value, 'name') !== 'Snooze') return undefined;
  const why = memberOf(value, 'message');
  return { milliseconds, why: typeof why === 'string' ? why : 'not now' };
};
