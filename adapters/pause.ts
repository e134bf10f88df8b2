/** Waiting that can be cut short. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
  });

/** Until `performance.now()` gives this moment or a later one: a timer may fire a little early. */
const pauseUntil = async (moment: number, signal: AbortSignal): Promise<void> => {
  const left = (): number => moment - performance.now();
  while (left() > 0 && !signal.aborted) await pause(left(), signal);
};

/** Until the work is done, the moment has come, or the signal fires. No timer and no listener of it is left behind. */
export const pauseFor = async (
  work: Promise<unknown>,
  moment: number,
  signal?: AbortSignal,
): Promise<void> => {
  const over = new AbortController();
  const end = (): void => over.abort();
  if (signal?.aborted === true) end();
  signal?.addEventListener('abort', end, { once: true });
  try {
    await Promise.race([work, pauseUntil(moment, over.signal)]);
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
};
