/** Holds one client, and replaces it where it cannot be trusted any more: poisoned, unanswered, or unavailable again and again. */
import type { EventStoreDBClient } from '@eventstore/db-client';
import { ledgerClosed } from '../../domain/errors.js';
import { faultOf, StoreFailure, Unanswered } from './errors.js';

export interface ClientSupervisor {
  /** Runs a call with a deadline of its own, which rejects with `Unanswered`. `deadlineMs` undefined: the work has its own. */
  readonly use: <A>(
    work: (client: EventStoreDBClient) => Promise<A>,
    deadlineMs: number | undefined,
  ) => Promise<A>;
  /** The next call gets a new client, on a new connection. */
  readonly replace: () => void;
  /** How many clients there have been. */
  readonly generation: () => number;
  readonly close: () => Promise<void>;
}

const UNAVAILABLE_IN_A_ROW = 3;

interface Held {
  readonly client: EventStoreDBClient;
  inUse: number;
  isRetired: boolean;
}

/** The promise of a call may stay open for ever, and reject when nobody waits any more: neither may be noticed. */
const within = async <A>(answer: Promise<A>, milliseconds: number): Promise<A> => {
  answer.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unanswered(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
};

export const superviseClient = (newClient: () => EventStoreDBClient): ClientSupervisor => {
  let held: Held | undefined;
  let generation = 0;
  let failures = 0;
  let isClosed = false;

  const take = (): Held => {
    if (isClosed) throw new StoreFailure(ledgerClosed);
    if (held === undefined) {
      held = { client: newClient(), inUse: 0, isRetired: false };
      generation += 1;
      failures = 0;
    }
    return held;
  };

  /** Its open calls have deadlines; when the last has ended, what is left of it is closed. */
  const retire = (old: Held): void => {
    old.isRetired = true;
    if (held === old) held = undefined;
    if (old.inUse === 0) void old.client.dispose().catch(() => undefined);
  };

  const noteFailure = (failed: Held, error: unknown): void => {
    const fault = faultOf(error);
    if (fault._tag !== 'Unknown') return;
    failures += 1;
    if (fault.poisons || failures >= UNAVAILABLE_IN_A_ROW) retire(failed);
  };

  return {
    use: async (work, deadlineMs) => {
      const using = take();
      using.inUse += 1;
      try {
        const answer = await (deadlineMs === undefined
          ? work(using.client)
          : within(work(using.client), deadlineMs));
        failures = 0;
        return answer;
      } catch (error) {
        noteFailure(using, error);
        throw error;
      } finally {
        using.inUse -= 1;
        if (using.isRetired && using.inUse === 0) retire(using);
      }
    },
    replace: () => {
      if (held !== undefined) retire(held);
    },
    generation: () => generation,
    close: async () => {
      isClosed = true;
      const last = held;
      held = undefined;
      await last?.client.dispose().catch(() => undefined);
    },
  };
};
