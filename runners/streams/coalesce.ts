/**
 * Many callers, few trips: what is asked while one batch is under way goes with the next. A batch leaves when the last has come back,
 * never on a timer, so a lone caller waits for nobody.
 */
interface Pending<I, O> {
  readonly item: I;
  readonly resolve: (answer: O) => void;
  readonly reject: (error: unknown) => void;
}

export interface Coalesced<I, O> {
  readonly submit: (item: I) => Promise<O>;
  /** Resolves when everything submitted so far has been answered. */
  readonly settled: () => Promise<void>;
}

/**
 * @param run answers in the order of the items; a rejection is every item's rejection
 * @param limit most items a batch
 */
export const coalesce = <I, O>(
  run: (items: readonly I[]) => Promise<readonly O[]>,
  limit: number,
): Coalesced<I, O> => {
  let waiting: Pending<I, O>[] = [];
  let flight: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    // One turn of the microtask queue: callers that were answered together ask together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limit);
      waiting = waiting.slice(limit);
      await answer(batch);
    }
    flight = undefined;
  };

  const answer = async (batch: readonly Pending<I, O>[]): Promise<void> => {
    try {
      const answers = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        const given = answers[index];
        if (given === undefined) reject(new Error('a batch was answered in part'));
        else resolve(given);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return {
    submit: (item) =>
      new Promise<O>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        flight ??= flush();
      }),
    settled: async () => {
      while (flight !== undefined) await flight;
    },
  };
};
