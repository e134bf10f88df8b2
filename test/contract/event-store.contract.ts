// What every event store must do, whatever it is made of.
import type { Position } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import { appendContract } from './append.contract.js';
import { readContract } from './read.contract.js';
import { subscribeContract } from './subscribe.contract.js';

export interface StoreUnderTest {
  readonly store: EventStore;
  /** Largest event that the store takes; where it is not said, what every store of ours takes. */
  readonly eventBytes?: number;
  readonly close: () => Promise<void>;
}

/** A store of its own for each call, empty, whose first position is the one given, where the store lets itself be told. */
export type MakeStore = (firstPosition?: Position) => Promise<StoreUnderTest>;

export const eventStoreContract = (name: string, makeStore: MakeStore): void => {
  describe(`the event store on ${name}`, () => {
    appendContract(makeStore);
    readContract(makeStore);
    subscribeContract(makeStore);
  });
};
