/** How many jobs a runner starts within a second, as measured; 0 until something has been measured. */
export interface Pace {
  readonly count: () => void;
  /** Jobs per second over the last moments. */
  readonly perSecond: () => number;
}

const LEAST_WINDOW_MS = 20;

export const measuredPace = (clock: () => number = () => performance.now()): Pace => {
  let since = clock();
  let counted = 0;
  let rate = 0;
  return {
    count: () => {
      counted += 1;
    },
    perSecond: () => {
      const elapsed = clock() - since;
      if (elapsed >= LEAST_WINDOW_MS) {
        const now = (counted * 1000) / elapsed;
        rate = rate === 0 ? now : (rate + now) / 2;
        since = clock();
        counted = 0;
      }
      return rate;
    },
  };
};
