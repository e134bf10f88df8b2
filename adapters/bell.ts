/** A ring that nobody waits for is kept for the next who does. One waits at a time. */
export interface Bell {
  readonly ring: () => void;
  /** Until the bell rings, or so many milliseconds have passed. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

export const bell = (): Bell => {
  let isRung = false;
  let wakeUp: (() => void) | undefined;
  return {
    ring: () => {
      isRung = true;
      wakeUp?.();
    },
    wait: async (milliseconds) => {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.max(0, milliseconds));
          wakeUp = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wakeUp = undefined;
      }
      isRung = false;
    },
  };
};
