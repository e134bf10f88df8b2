import { expect } from 'chai';
import { quietStretches } from '../../adapters/quiet-stretches.js';
import { memoryEventStore } from '../../adapters/memory/event-store.js';
import type { EventStore } from '../../domain/ports.js';
import { newEvent, newEvents, newStream, share, succeed, taken } from '../contract/appending.js';

describe('a quiet stretch of history', () => {
  const counting = (store: EventStore) => {
    const reads = { count: 0 };
    const readAll: EventStore['readAll'] = (options) => {
      reads.count += 1;
      return store.readAll(options);
    };
    return { readAll, reads };
  };

  const filled = async (before: number, behind: number): Promise<EventStore> => {
    const store = memoryEventStore({ now: () => '2026-03-01T12:00:00.000Z' });
    await taken(store, share(newStream(), 'no-stream', newEvents(before)));
    await taken(store, share(newStream(), 'no-stream', [newEvent('AttemptStarted')]));
    if (behind > 0) await taken(store, share(newStream(), 'no-stream', newEvents(behind)));
    return store;
  };

  it('ends where the first attempt behind it began, wherever one asks from, and is read once', async () => {
    const { readAll, reads } = counting(await filled(400, 5));
    const quietBehind = quietStretches({ readAll });
    const position = await quietBehind(1n);
    expect(position).to.deep.equal({ _tag: 'Right', right: 401n });
    const before = reads.count;
    for (const from of [2n, 100n, 400n]) expect(await quietBehind(from)).to.deep.equal(position);
    expect(reads.count).to.equal(before);
  });

  it('ends behind the end of history where no attempt has begun, and is followed when there is more', async () => {
    const store = await filled(1, 10);
    const quietBehind = quietStretches(store);
    expect(await quietBehind(2n)).to.deep.equal({ _tag: 'Right', right: 13n });
    await taken(store, share(newStream(), 'no-stream', newEvents(1)));
    await taken(store, share(newStream(), 'no-stream', [newEvent('AttemptStarted')]));
    expect(await quietBehind(5n)).to.deep.equal({ _tag: 'Right', right: 14n });
    expect(await succeed(store.end())).to.equal(14n);
  });

  it('is not looked for further than some two thousand events', async () => {
    const { readAll } = counting(await filled(1, 5_000));
    const quietBehind = quietStretches({ readAll });
    expect(await quietBehind(2n)).to.deep.equal({ _tag: 'Right', right: 2_003n });
  });
});
