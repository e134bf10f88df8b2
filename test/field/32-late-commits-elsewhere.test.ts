// Field case 32 where the history is on EventStoreDB: its order is the order in which events are seen, whatever is late.
import { expect } from 'chai';
import type { EventStoreDbStore } from '../../adapters/eventstoredb/event-store.js';
import { ids, newEvent, newStream, share, succeed, taken } from '../contract/appending.js';
import { eachEventOnce } from '../support/beside-appenders.js';
import { doubledStore, openStore, type DoubledStore } from '../support/eventstore-double/doubled-store.js';
import { release } from '../support/eventstore-double/faults.js';
import { eventStoreSites, type SiteServer } from '../support/eventstore-sites.js';
import { newLedgerName } from '../support/real-eventstore.js';
import { until } from '../support/waiting.js';

for (const site of eventStoreSites) {
  describe(`field case 32: an event that is committed late (${site.where})`, () => {
    let server: SiteServer;
    let store: EventStoreDbStore;
    before(async () => {
      server = await site.server();
      store = openStore(server.url, { ledger: newLedgerName() }).store;
    });
    after(async () => {
      await store.close();
      server.close();
    });

    it('is seen once and in its place by readers beside many appenders, some of whose answers a double loses', async function () {
      this.timeout(180_000);
      const { double } = server;
      await eachEventOnce(store, (round) => {
        if (double === undefined) return;
        if (round % 5 === 0) double.faults.brokenReplies = 1;
        if (round % 7 === 3) double.endSubscriptions();
      });
    });
  });
}

describe('field case 32: an append that a server keeps for a while (protocol double of EventStoreDB)', () => {
  let doubled: DoubledStore;
  let store: EventStoreDbStore;
  let seen: string[];
  beforeEach(async () => {
    doubled = await doubledStore({ deadlineMs: 1_000 });
    ({ store } = doubled);
    seen = [];
    store.subscribe({
      from: 'start',
      onPage: (page) => () => {
        seen.push(...ids(page.events));
        return Promise.resolve();
      },
    });
    await until('live', () => doubled.states.at(-1) === 'live');
  });
  afterEach(() => doubled.close());

  const [first, second] = [newEvent('First'), newEvent('Second')];
  const appendNow = () => taken(store, share(newStream(), 'no-stream', [second]));

  /** Begun, and kept by the server. */
  const begin = async (): Promise<{ readonly ended: Promise<unknown> }> => {
    const { faults } = doubled.double;
    faults.held = 1;
    const ended = taken(store, share(newStream(), 'no-stream', [first]));
    await until('the append is kept', () => faults.waiting.length === 1);
    return { ended };
  };
  const polled = async (): Promise<readonly string[]> =>
    ids((await succeed(store.readAll({ after: 0n }))).events);

  it('holds up no reader, and is seen behind the one that overtook it', async () => {
    const { ended } = await begin();
    await appendNow();
    await until('the second is seen', () => seen.length === 1);
    expect(await polled()).to.deep.equal([second.id]);
    release(doubled.double.faults);
    await ended;
    await until('the first is seen', () => seen.length === 2);
    expect(seen).to.deep.equal([second.id, first.id]);
    expect(await polled()).to.deep.equal(seen);
  });

  it('is written and seen once where it was given up and sent again meanwhile', async () => {
    const { ended } = await begin();
    await ended;
    release(doubled.double.faults);
    await appendNow();
    await until('both are seen', () => seen.length === 2);
    expect(seen).to.deep.equal([first.id, second.id]);
    expect(await polled()).to.deep.equal(seen);
    expect(doubled.double.log.records).to.have.length(2);
  });
});
