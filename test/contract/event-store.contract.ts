// What every event store must do, whatever it is made of.
import type { Position } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import { appendContract } from './append.contract.js';
import { readContract } from './read.contract.js';
import { subscribeContract } from './subscribe.contract.js';

export interface StoreUnderTest {
  readonly store: EventStore;
  readonly close: () => Promise<void>;
}

/** A store of its own for each call, empty, whose first position is the one given (1 where none is). */
export type MakeStore = (firstPosition?: Position) => Promise<StoreUnderTest>;

export const eventStoreContract = (name: string, makeStore: MakeStore): void => {
  describe(`the event store on ${name}`, () => {
    appendContract(makeStore);
    readContract(makeStore);
    subscribeContract(makeStore);
  });
};
