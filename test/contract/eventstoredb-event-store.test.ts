import { isLeft } from 'fp-ts/lib/Either.js';
import { eventStoreDbStore, type EventStoreDbStore } from '../../adapters/eventstoredb/event-store.js';
import { eventStoreDouble } from '../support/eventstore-double/index.js';
import { newLedgerName, realEventStore } from '../support/real-eventstore.js';
import { eventStoreContract } from './event-store.contract.js';

const APPEND_BYTES = 1_048_576;

const opened = (url: string): EventStoreDbStore => {
  const store = eventStoreDbStore({ url, ledger: newLedgerName() });
  if (isLeft(store)) throw new Error(store.left.message);
  return store.right;
};

for (const version of ['23.10', '24.10'] as const) {
  eventStoreContract(`the protocol double of EventStoreDB ${version}`, async (firstPosition) => {
    const double = await eventStoreDouble({
      version,
      ...(firstPosition === undefined ? {} : { firstPosition }),
    });
    const store = opened(double.url);
    const close = async (): Promise<void> => {
      await store.close();
      double.stop();
    };
    return { store, eventBytes: APPEND_BYTES, close };
  });
}

const real = process.env['JOBLEDGER_TEST_EVENTSTORE_URL'] ? await realEventStore() : undefined;

if (real !== undefined) {
  eventStoreContract(real.name, async () => {
    const store = opened(await real.url());
    return { store, eventBytes: APPEND_BYTES, close: store.close };
  });
}
