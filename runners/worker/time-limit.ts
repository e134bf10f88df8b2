/** A limit to the time of one attempt. What has none pays nothing for it. */
import { AttemptTimedOut } from '../handler-outcome.js';
import type { Interruption } from './interruption.js';

/** How long a handler whose signal has fired may take to come to its end, before its attempt ends without it. */
const PATIENCE_MS = 1_000;

/**
 * Past the limit the signal fires, and the attempt has failed whatever the handler still gives or throws. One that does not heed its
 * signal goes on by itself; nobody waits for it.
 */
export const withinLimit = async (
  limitMs: number,
  abort: Interruption,
  call: () => unknown,
): Promise<unknown> => {
  const begun = performance.now();
  const overdue = new AttemptTimedOut(limitMs);
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      abort.fire(overdue);
      timer = setTimeout(() => reject(overdue), PATIENCE_MS);
    }, limitMs);
  });
  // A handler that blocks the event loop is over its limit before the timer can tell.
  const isOver = (): boolean => abort.reason() === overdue || performance.now() - begun > limitMs;
  try {
    const value = await Promise.race([call(), timedOut]);
    if (isOver()) throw overdue;
    return value;
  } catch (error) {
    if (!isOver()) throw error;
    if (error !== overdue) overdue.cause = error;
    throw overdue;
  } finally {
    clearTimeout(timer);
  }
};
