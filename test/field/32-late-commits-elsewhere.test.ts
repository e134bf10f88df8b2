// Field case 32 where the history is on EventStoreDB: its order is the order in which events are seen, whatever is late.
import { doubledStore, type DoubledStore } from '../support/eventstore-double/doubled-store.js';
import { eachEventOnce } from '../support/beside-appenders.js';

describe('field case 32: an event that is committed late (protocol double of EventStoreDB)', () => {
  let doubled: DoubledStore;
  before(async () => {
    doubled = await doubledStore({ deadlineMs: 2_000 });
  });
  after(() => doubled.close());

  it('is seen once and in its place by readers beside many appenders, some of whose answers are lost', async function () {
    this.timeout(180_000);
    const { double, store } = doubled;
    await eachEventOnce(store, (round) => {
      if (round % 5 === 0) double.faults.brokenReplies = 1;
      if (round % 7 === 3) double.endSubscriptions();
    });
  });
});
