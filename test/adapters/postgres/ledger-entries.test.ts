import { expect } from 'chai';
import { memoryEventStore } from '../../../adapters/memory/event-store.js';
import { ledgerEntriesAsLog } from '../../../adapters/postgres/pruning/ledger-entries.js';
import { LEDGER_STREAM, START } from '../../../domain/ledger.js';
import type { EventStore, Page } from '../../../domain/ports.js';
import { ids, newEvent, newEvents, newStream, share, taken } from '../../contract/appending.js';
import { right } from '../../support/outcome.js';

const ENTRIES = 250;
const TYPES = ['Entry'];

describe('the entries of a history as a whole, read as its log', () => {
  const store = memoryEventStore({ now: () => '2026-03-01T04:00:00.000Z' });
  const entries = Array.from({ length: ENTRIES }, () => newEvent('Entry'));
  before(async () => {
    for (const [n, entry] of entries.entries()) {
      await taken(store, share(newStream(), 'no-stream', newEvents(1)));
      await taken(store, share(LEDGER_STREAM, n === 0 ? 'no-stream' : BigInt(n - 1), [entry]));
    }
    await taken(store, share(newStream(), 'no-stream', newEvents(1)));
  });

  /** Sizes of what is asked of the store, and the log. */
  const counted = () => {
    const sizes: number[] = [];
    const readStream: EventStore['readStream'] = (stream, options) => async () => {
      const found = await store.readStream(stream, options)();
      if (found._tag === 'Right') sizes.push(found.right.length);
      return found;
    };
    return { sizes, readAll: ledgerEntriesAsLog({ readStream, end: store.end }) };
  };

  const all = async (readAll: EventStore['readAll'], from = START): Promise<readonly Page[]> => {
    const end = await right(store.end());
    const pages: Page[] = [];
    for (let after = from; after < end; after = pages.at(-1)?.upTo ?? end) {
      pages.push(await right(readAll({ after, types: TYPES })));
    }
    return pages;
  };

  it('are all there, in order, a hundred at a time', async () => {
    const { sizes, readAll } = counted();
    const pages = await all(readAll);
    expect(pages.flatMap(({ events }) => ids(events))).to.deep.equal(entries.map(({ id }) => id));
    expect(Math.max(...sizes)).to.equal(100);
    expect(sizes.filter((size) => size > 1).reduce((sum, size) => sum + size, 0)).to.equal(ENTRIES);
  });

  it('are found behind any of them, and up to any, by a reader that begins there', async () => {
    const [, , first, , last] = (await all(store.readAll)).flatMap(({ events }) => events);
    if (first === undefined || last === undefined) return expect.fail('there are entries');
    const { readAll } = counted();
    const page = await right(readAll({ after: first.position, upTo: last.position, types: TYPES }));
    expect(page.upTo).to.equal(last.position);
    expect(ids(page.events)).to.deep.equal(entries.slice(3, 5).map(({ id }) => id));
    expect((await all(readAll, last.position)).flatMap(({ events }) => ids(events))).to.have.length(
      ENTRIES - 5,
    );
  });

  it('are not read again by who has seen the newest', async () => {
    const { sizes, readAll } = counted();
    const newest = (await all(store.readAll)).flatMap(({ events }) => events).at(-1);
    const page = await right(readAll({ after: newest?.position ?? START, types: TYPES }));
    expect(page).to.deep.equal({ events: [], upTo: await right(store.end()) });
    expect(sizes).to.deep.equal([1]);
  });
});
