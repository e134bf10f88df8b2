import { expect } from 'chai';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { EVENT_BYTES } from '../../adapters/encoded-append.js';
import type { EventStore } from '../../domain/ports.js';
import {
  ids,
  newEvent,
  newEvents,
  newStream,
  outcomesOf,
  refusal,
  share,
  succeed,
  taken,
} from './appending.js';
import type { MakeStore, StoreUnderTest } from './event-store.contract.js';

export const appendContract = (makeStore: MakeStore): void => {
  describe('append', () => {
    let made: StoreUnderTest;
    let store: EventStore;
    before(async () => {
      made = await makeStore();
      store = made.store;
    });
    after(() => made.close());

    describe('the expected revision', () => {
      it('no stream: takes the first events of a stream that does not exist', async () => {
        const stream = newStream();
        const [appended] = await taken(store, share(stream, 'no-stream', newEvents(3)));
        expect(appended).to.include({ stream, revision: 2n, alreadyThere: false });
      });

      it('exactly n: takes what follows the last event', async () => {
        const stream = newStream();
        await taken(store, share(stream, 'no-stream', newEvents(2)));
        const [appended] = await taken(store, share(stream, 1n, newEvents(2)));
        expect(appended).to.include({ revision: 3n, alreadyThere: false });
      });

      it('no stream, where there is one: a conflict that says where the stream stands', async () => {
        const stream = newStream();
        await taken(store, share(stream, 'no-stream', newEvents(2)));
        expect(await refusal(store, share(stream, 'no-stream'))).to.deep.equal({
          _tag: 'Conflict',
          stream,
          expected: 'no-stream',
          current: 1n,
        });
      });

      it('exactly n, where the stream has gone on: a conflict', async () => {
        const stream = newStream();
        await taken(store, share(stream, 'no-stream', newEvents(3)));
        expect(await refusal(store, share(stream, 1n))).to.deep.equal({
          _tag: 'Conflict',
          stream,
          expected: 1n,
          current: 2n,
        });
      });

      it('exactly n, where the stream is not yet there: a conflict, and no gap', async () => {
        const stream = newStream();
        await taken(store, share(stream, 'no-stream'));
        expect(await refusal(store, share(stream, 1n))).to.deep.include({ _tag: 'Conflict', current: 0n });
        expect(await succeed(store.readStream(stream))).to.have.length(1);
      });

      it('exactly n, where there is no stream: a conflict without a current revision', async () => {
        const stream = newStream();
        expect(await refusal(store, share(stream, 0n))).to.deep.equal({
          _tag: 'Conflict',
          stream,
          expected: 0n,
          current: undefined,
        });
      });

      it('lets one of 50 concurrent appenders win', async () => {
        const stream = newStream();
        await taken(store, share(stream, 'no-stream'));
        const attempts = Array.from({ length: 50 }, () => outcomesOf(store, share(stream, 0n, newEvents(2))));
        const outcomes = (await Promise.all(attempts)).flat();
        expect(outcomes.filter(isRight)).to.have.length(1);
        expect(outcomes.filter((each) => isLeft(each) && each.left._tag === 'Conflict')).to.have.length(49);
        expect(await succeed(store.readStream(stream))).to.have.length(3);
      });
    });

    describe('many streams in one call', () => {
      it('answers for each in the order given, and writes the good ones', async () => {
        const [there, one, two] = [newStream(), newStream(), newStream()];
        await taken(store, share(there, 'no-stream'));
        const outcomes = await outcomesOf(
          store,
          share(two, 'no-stream', newEvents(2)),
          share(there, 'no-stream'),
          share(one, 'no-stream'),
          share(there.replace('job', 'none'), 4n),
        );
        const told = outcomes.map((each) =>
          isRight(each) ? `${each.right.stream} ${each.right.revision}` : each.left._tag,
        );
        expect(told).to.deep.equal([`${two} 1`, 'Conflict', `${one} 0`, 'Conflict']);
      });

      it('gives positions that rise within every stream', async () => {
        const appends = Array.from({ length: 20 }, () => share(newStream(), 'no-stream', newEvents(5)));
        await taken(store, ...appends);
        for (const { stream } of appends) {
          const positions = (await succeed(store.readStream(stream))).map(({ position }) => position);
          expect(positions).to.deep.equal(positions.toSorted((one, other) => (one < other ? -1 : 1)));
          expect(new Set(positions)).to.have.length(5);
        }
      });

      it('takes thousands, more than one statement may carry', async () => {
        const appends = Array.from({ length: 1_500 }, () => share(newStream(), 'no-stream', newEvents(2)));
        const appended = await taken(store, ...appends);
        expect(appended.map(({ stream }) => stream)).to.deep.equal(appends.map(({ stream }) => stream));
      });

      it('refuses the call where a stream occurs twice', async () => {
        const stream = newStream();
        const outcome = await store.append([share(stream, 'no-stream'), share(stream, 0n)])();
        expect(outcome).to.have.nested.property('left._tag', 'Rejected');
        expect(await succeed(store.readStream(stream))).to.deep.equal([]);
      });

      it('answers an empty call with nothing', async () => {
        expect(await outcomesOf(store)).to.deep.equal([]);
      });
    });

    describe('a retry with the same ids', () => {
      it('is recognised, also after the stream has gone on', async () => {
        const stream = newStream();
        const append = share(stream, 'no-stream', newEvents(2));
        const [first] = await taken(store, append);
        await taken(store, share(stream, 1n));
        const [second] = await taken(store, append);
        expect(second).to.deep.equal({ ...first, alreadyThere: true });
        expect(await succeed(store.readStream(stream))).to.have.length(3);
      });

      it('writes what is missing of a call that was half there', async () => {
        const [one, other] = [share(newStream(), 'no-stream'), share(newStream(), 'no-stream')];
        await taken(store, one);
        const appended = await taken(store, one, other);
        expect(appended.map(({ alreadyThere }) => alreadyThere)).to.deep.equal([true, false]);
      });

      it('is a conflict where only some of the ids stand there', async () => {
        const stream = newStream();
        const events = newEvents(2);
        await taken(store, share(stream, 'no-stream', events));
        const error = await refusal(store, share(stream, 'no-stream', [...events, newEvent()]));
        expect(error).to.deep.include({ _tag: 'Conflict', current: 1n });
        const changed = share(stream, 'no-stream', [...events.slice(0, 1), newEvent()]);
        expect(await refusal(store, changed)).to.deep.include({ _tag: 'Conflict', current: 1n });
      });
    });

    describe('what cannot be stored', () => {
      const flawed = (change: object) => [{ ...newEvent(), ...change }];
      const cyclic: Record<string, unknown> = {};
      cyclic['self'] = cyclic;

      for (const [flaw, stream, events] of [
        ['an id that is no UUID', newStream(), flawed({ id: 'x' })],
        ['an empty type', newStream(), flawed({ type: '' })],
        ['a type with NUL', newStream(), flawed({ type: 'a\0' })],
        ['half a surrogate pair in the stream', 'job-\uD800', newEvents(1)],
        ['an empty stream name', '', newEvents(1)],
        ['a cycle', newStream(), flawed({ data: cyclic })],
        ['a BigInt', newStream(), flawed({ data: { a: 1n } })],
        ['a time without a zone', newStream(), flawed({ recordedAt: '2026-01-01T00:00:00' })],
        ['no events', newStream(), []],
      ] as const) {
        it(`is refused without its neighbours: ${flaw}`, async () => {
          const neighbour = newStream();
          const outcomes = await outcomesOf(
            store,
            share(stream, 'no-stream', events),
            share(neighbour, 'no-stream'),
          );
          expect(outcomes[0]).to.have.nested.property('left._tag', 'Rejected');
          expect(await succeed(store.readStream(neighbour))).to.have.length(1);
        });
      }

      it('names the size of an event above the limit, counted in UTF-8', async () => {
        const [stream, neighbour] = [newStream(), newStream()];
        const limit = made.eventBytes ?? EVENT_BYTES;
        const large = newEvent('Large', { text: 'é'.repeat(limit / 2) });
        const outcomes = await outcomesOf(
          store,
          share(stream, 'no-stream', [large]),
          share(neighbour, 'no-stream'),
        );
        expect(outcomes[0]).to.deep.nested.include({ 'left._tag': 'TooLarge', 'left.stream': stream });
        expect(outcomes[0]).to.have.nested.property('left.bytes').above(limit);
        expect(outcomes.slice(1).every(isRight)).to.equal(true);
      });

      it('is not an event of 16 MiB, or of nearly as much as the store takes', async () => {
        const stream = newStream();
        const text = 'x'.repeat(Math.min(16 * 1024 * 1024, ((made.eventBytes ?? EVENT_BYTES) * 15) / 16));
        await taken(store, share(stream, 'no-stream', [newEvent('Large', { text })]));
        expect(await succeed(store.readStream(stream))).to.have.length(1);
      });
    });

    it('keeps a recording time that it is given, and otherwise has its own', async () => {
      const stream = newStream();
      const restored = { ...newEvent(), recordedAt: '2001-02-03T04:05:06.789Z' };
      await taken(store, share(stream, 'no-stream', [restored, newEvent()]));
      const events = await succeed(store.readStream(stream));
      expect(events[0]?.recordedAt).to.equal('2001-02-03T04:05:06.789Z');
      expect(events[1]?.recordedAt).to.match(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(ids(events)[0]).to.equal(restored.id);
    });
  });
};
