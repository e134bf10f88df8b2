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
export const pauseUntil = async (moment: number, signal?: AbortSignal): Promise<void> => {
  const left = (): number => moment - performance.now();
  while (left() > 0 && signal?.aborted !== true) await pause(left(), signal);
};
