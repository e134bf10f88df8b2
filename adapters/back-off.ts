/** How long to wait behind each failure in a row: twice as long each time up to a bound, and a little apart from others who wait too. */
export interface BackOff {
  /** Milliseconds until the next try. */
  readonly next: () => number;
  /** It went well: the next failure is a first one again. */
  readonly reset: () => void;
}

const JITTER = 0.2;

export const backOff = (firstMs: number, longestMs: number): BackOff => {
  let milliseconds = firstMs;
  return {
    next: () => {
      const wait = milliseconds * (1 + JITTER * (2 * Math.random() - 1));
      milliseconds = Math.min(2 * milliseconds, longestMs);
      return Math.min(wait, longestMs);
    },
    reset: () => {
      milliseconds = firstMs;
    },
  };
};
