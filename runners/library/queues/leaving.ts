/** The last things of a process: what is left to write is written when it has nothing else to do, and when it is asked to end. */
export interface Leaving {
  readonly arm: () => void;
  readonly disarm: () => void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Listens only while it is armed, so that a process which has nothing to write ends as it always would.
 * @param finish writes what is left
 * @param giveUp called where the process ends without waiting: by `process.exit`, an error, or a second signal
 */
export const whenLeaving = (finish: () => Promise<void>, giveUp: () => void): Leaving => {
  let isArmed = false;

  const onIdle = (): void => void finish();

  let isAsked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    // Somebody else who listens decides when to end; where nobody does, the signal does what it would have done. Asked now: when all is
    // written, nobody listens here any more.
    const isDecidedHere = process.listenerCount(signal) === 1;
    const end = (): void => {
      leaving.disarm();
      if (isDecidedHere) process.kill(process.pid, signal);
    };
    if (!isAsked) void finish().finally(end);
    else if (isDecidedHere) {
      giveUp();
      end();
    }
    isAsked = true;
  };

  const leaving: Leaving = {
    arm: () => {
      if (isArmed) return;
      isArmed = true;
      isAsked = false;
      process.on('beforeExit', onIdle);
      process.on('exit', giveUp);
      for (const signal of SIGNALS) process.on(signal, onSignal);
    },
    disarm: () => {
      isArmed = false;
      process.off('beforeExit', onIdle);
      process.off('exit', giveUp);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
  return leaving;
};
