/**
 * The last things of a process, and of a ledger: what is left to write is written when the process has nothing else to do, when it is asked
 * to end, and before the ledger closes.
 */
export interface Leaving {
  readonly arm: () => void;
  readonly disarm: () => void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export interface LastThings {
  /** Writes what is left. */
  readonly finish: () => Promise<void>;
  /** Called where the process ends without waiting: by `process.exit`, an error, or a second signal. */
  readonly giveUp: () => void;
  /** Asks the ledgers to wait for what is left; gives back how to take that back. */
  readonly beforeClosing: () => readonly (() => void)[];
}

/** Listens only while it is armed, so that a process which has nothing to write ends as it always would. */
export const whenLeaving = ({ finish, giveUp, beforeClosing }: LastThings): Leaving => {
  let takeBack: readonly (() => void)[] = [];
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
      takeBack = beforeClosing();
      process.on('beforeExit', onIdle);
      process.on('exit', giveUp);
      for (const signal of SIGNALS) process.on(signal, onSignal);
    },
    disarm: () => {
      isArmed = false;
      for (const each of takeBack) each();
      process.off('beforeExit', onIdle);
      process.off('exit', giveUp);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
  return leaving;
};
