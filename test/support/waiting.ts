// Waiting for a condition, never for a time.
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_AGAIN_MS = 10;

/** Until the condition gives something other than undefined or false, which is the answer. */
export const until = async <A>(
  what: string,
  condition: () => Promise<A | undefined | false> | A | undefined | false,
  deadlineMs = 40_000,
): Promise<A> => {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const answer = await condition();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await delay(LOOK_AGAIN_MS);
  }
};

/** A door that a handler waits at until the test opens it. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export const gate = (): Gate => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
};
