// A store on a protocol double, and what it says while things go wrong.
import { isLeft } from 'fp-ts/lib/Either.js';
import {
  eventStoreDbStore,
  type EventStoreDbOptions,
  type EventStoreDbStore,
} from '../../../adapters/eventstoredb/event-store.js';
import type { SubscriptionState } from '../../../adapters/eventstoredb/subscription-state.js';
import { eventStoreDouble, type DoubleOptions, type EventStoreDouble } from './index.js';

export interface OpenStore {
  readonly store: EventStoreDbStore;
  /** What it logged. */
  readonly lines: readonly string[];
  /** States that its subscriptions went through. */
  readonly states: readonly SubscriptionState[];
}

export const LEDGER = 'doubled';

export const openStore = (url: string, options: Partial<EventStoreDbOptions> = {}): OpenStore => {
  const lines: string[] = [];
  const states: SubscriptionState[] = [];
  const store = eventStoreDbStore({
    url,
    ledger: LEDGER,
    log: (line) => lines.push(line),
    onSubscriptionState: (state) => states.push(state),
    ...options,
  });
  if (isLeft(store)) throw new Error(store.left.message);
  return { store: store.right, lines, states };
};

export interface DoubledStore extends OpenStore {
  readonly double: EventStoreDouble;
  readonly close: () => Promise<void>;
}

export const doubledStore = async (
  options: Partial<EventStoreDbOptions> = {},
  doubleOptions: DoubleOptions = {},
): Promise<DoubledStore> => {
  const double = await eventStoreDouble(doubleOptions);
  const opened = openStore(double.url, options);
  const close = async (): Promise<void> => {
    await opened.store.close();
    double.stop();
  };
  return { ...opened, double, close };
};
