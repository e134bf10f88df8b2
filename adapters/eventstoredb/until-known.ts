/** Calls that may be made twice: again and again while nobody knows whether they were done (ADR 10). */
import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../domain/errors.js';
import { faultOf, StoreFailure, type Fault } from './errors.js';

export type KnownFault = Exclude<Fault, { _tag: 'Unknown' }>;

/** Between the tries. */
const PAUSES_MS = [50, 200, 500, 1_000, 2_000];

/** @param settle what a fault means; `wasInDoubt`: an earlier try may have been done. */
export const untilKnown = async <A>(
  call: () => Promise<A>,
  settle: (fault: KnownFault, wasInDoubt: boolean) => A | Promise<A>,
): Promise<A> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const fault = faultOf(error);
      if (fault._tag !== 'Unknown') return settle(fault, tries > 0);
      const pause = PAUSES_MS[tries];
      if (pause === undefined) throw new StoreFailure(unavailable(`EventStoreDB: ${fault.message}`));
      await delay(pause);
    }
  }
};

/** None is still on its way when it answers; a failure is that of the first that failed. */
export const allEnded = async <A>(calls: readonly Promise<A>[]): Promise<readonly A[]> => {
  const outcomes = await Promise.allSettled(calls);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
};
