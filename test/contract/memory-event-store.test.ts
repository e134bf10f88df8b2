import { expect } from 'chai';
import { memoryEventStore } from '../../adapters/memory/event-store.js';
import { ids, newEvents, newStream, share, taken } from './appending.js';
import { eventStoreContract } from './event-store.contract.js';

const now = (): string => '2026-03-01T12:00:00.000Z';

eventStoreContract('memory', (firstPosition) =>
  Promise.resolve({
    store: memoryEventStore({
      now,
      pollMilliseconds: 20,
      ...(firstPosition === undefined ? {} : { firstPosition }),
    }),
    close: () => Promise.resolve(),
  }),
);

describe('the inline hook of the event store in memory', () => {
  it('is told, before the append returns, what was written now and nothing else', async () => {
    const told: string[] = [];
    const store = memoryEventStore({ now, onAppended: (events) => told.push(...ids(events)) });
    const append = share(newStream(), 'no-stream', newEvents(2));
    await taken(store, append);
    expect(told).to.deep.equal(ids(append.events));
    await taken(store, append);
    expect(told).to.have.length(2);
  });
});
