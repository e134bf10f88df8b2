// Waits for a condition instead of for a time.
import { setTimeout as delay } from 'node:timers/promises';

/** Repeats the expectation until it holds; its last failure is the test's. */
export const eventually = async (
  expectation: () => Promise<void> | void,
  withinMs = 30_000,
): Promise<void> => {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      await expectation();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(10);
    }
  }
};
