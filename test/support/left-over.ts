// What a test that failed has left at work: it would keep the whole run from ending, and from telling which test that was.
const atWork = new Set<() => Promise<unknown>>();

/** @returns what to call when it has ended by itself */
export const endedAtLast = (end: () => Promise<unknown>): (() => void) => {
  atWork.add(end);
  return () => void atWork.delete(end);
};

/** The latest first: it may work on an earlier one. */
export const endLeftOver = async (): Promise<void> => {
  for (const end of [...atWork].toReversed()) await end().catch(() => undefined);
};
