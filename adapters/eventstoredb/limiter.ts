/** So many at a time: a server answers a bounded number of calls sooner than all of them at once. */
export type Limiter = <A>(work: () => Promise<A>) => Promise<A>;

export const limiter = (most: number): Limiter => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};
