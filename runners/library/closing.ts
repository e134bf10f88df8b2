/** The end of a ledger: what was begun on it ends first. */
export interface Closing {
  /** Called, and waited for, before the ledger closes. Gives back how to take that back. */
  readonly before: (finish: () => Promise<unknown>) => () => void;
  readonly isClosed: () => boolean;
  /** The same end, however often it is asked for. */
  readonly close: () => Promise<void>;
}

/** @param end what is done last; nothing can be asked any more then */
export const closing = (end: () => Promise<void>): Closing => {
  const begun = new Set<() => Promise<unknown>>();
  let closed: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    // What ends may begin something: a handler's last act may be to push a job lazily.
    while (begun.size > 0) {
      const finishing = [...begun];
      begun.clear();
      await Promise.allSettled(finishing.map((finish) => finish()));
    }
    await end();
  };

  return {
    before: (finish) => {
      begun.add(finish);
      return () => begun.delete(finish);
    },
    isClosed: () => closed !== undefined,
    close: () => (closed ??= close()),
  };
};
