import { expect } from 'chai';
import type {
  EventStore,
  Page,
  SubscribeOptions,
  Subscription,
  SubscriptionNotice,
} from '../../domain/ports.js';
import { ids, newEvent, newEvents, newStream, share, succeed, taken, until } from './appending.js';
import type { MakeStore, StoreUnderTest } from './event-store.contract.js';

interface Follower {
  readonly seen: string[];
  readonly pages: Page[];
  readonly notices: SubscriptionNotice[];
  readonly subscription: Subscription;
}

export const subscribeContract = (makeStore: MakeStore): void => {
  describe('subscribe', () => {
    let made: StoreUnderTest;
    let store: EventStore;
    const open: Subscription[] = [];
    beforeEach(async () => {
      made = await makeStore();
      store = made.store;
    });
    afterEach(async () => {
      await Promise.all(open.splice(0).map((each) => each.stop()));
      await made.close();
    });

    const follow = (options: Partial<SubscribeOptions> = {}): Follower => {
      const [seen, pages, notices]: [string[], Page[], SubscriptionNotice[]] = [[], [], []];
      const subscription = store.subscribe({
        from: 'start',
        onPage: (page) => () => {
          pages.push(page);
          seen.push(...ids(page.events));
          return Promise.resolve();
        },
        onNotice: (notice) => notices.push(notice),
        ...options,
      });
      open.push(subscription);
      return { seen, pages, notices, subscription };
    };

    const caughtUp = (follower: Follower): Promise<void> =>
      until(() => follower.notices.some(({ _tag }) => _tag === 'CaughtUp'), 'caught up');

    it('from the start: everything, then what comes, and says when it has caught up', async () => {
      const [before, behind] = [newEvents(3), newEvents(2)];
      const stream = newStream();
      await taken(store, share(stream, 'no-stream', before));
      const follower = follow();
      await caughtUp(follower);
      expect(follower.seen).to.deep.equal(ids(before));
      expect(follower.notices).to.deep.equal([{ _tag: 'CaughtUp', position: await succeed(store.end()) }]);
      await taken(store, share(stream, 2n, behind));
      await until(() => follower.seen.length === 5, 'the later events');
      expect(follower.seen).to.deep.equal([...ids(before), ...ids(behind)]);
    });

    it('from a position: what lies strictly behind it', async () => {
      const events = newEvents(5);
      const stream = newStream();
      await taken(store, share(stream, 'no-stream', events));
      const third = (await succeed(store.readStream(stream)))[2]?.position ?? 0n;
      const follower = follow({ from: third });
      await caughtUp(follower);
      expect(follower.seen).to.deep.equal(ids(events.slice(3)));
    });

    it('live: only what is appended after it has caught up', async () => {
      await taken(store, share(newStream(), 'no-stream', newEvents(3)));
      const follower = follow({ from: 'live' });
      await caughtUp(follower);
      const events = newEvents(2);
      await taken(store, share(newStream(), 'no-stream', events));
      await until(() => follower.seen.length > 0, 'the live events');
      expect(follower.seen).to.deep.equal(ids(events));
    });

    it('goes on where another one ended, without a gap or a repetition', async () => {
      const events = newEvents(5_000);
      const stream = newStream();
      await taken(store, share(stream, 'no-stream', events));
      let position = 0n;
      const seen: string[] = [];
      let stopped: Promise<void> | undefined;
      const first: Follower = follow({
        onPage:
          ({ events: some, upTo }) =>
          () => {
            seen.push(...ids(some));
            position = upTo;
            stopped = first.subscription.stop();
            return Promise.resolve();
          },
      });
      await until(() => stopped !== undefined, 'the first page');
      await stopped;
      expect(seen.length).to.be.below(5_000);
      const second = follow({ from: position });
      await caughtUp(second);
      expect([...seen, ...second.seen]).to.deep.equal(ids(events));
    });

    it('hands over one page at a time', async () => {
      await taken(store, share(newStream(), 'no-stream', newEvents(5_000)));
      let [running, most, pages] = [0, 0, 0];
      const follower = follow({
        onPage: () => async () => {
          running += 1;
          pages += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
        },
      });
      await caughtUp(follower);
      expect(most).to.equal(1);
      expect(pages).to.be.above(1);
    });

    it('passes on only what its filter takes, and how far it has come all the same', async () => {
      const wanted = newEvent('Wanted');
      await taken(store, share(newStream('queue'), 'no-stream', [wanted, newEvent()]));
      await taken(store, share(newStream(), 'no-stream', [newEvent('Wanted'), newEvent()]));
      const follower = follow({ streamPrefix: 'queue-', types: ['Wanted'] });
      await caughtUp(follower);
      expect(follower.seen).to.deep.equal([wanted.id]);
      expect(follower.pages.at(-1)?.upTo).to.equal(await succeed(store.end()));
    });

    it('says that it fell behind, and that it caught up again', async () => {
      let release: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (release = resolve));
      let events = 0;
      const follower = follow({
        onPage: (page) => async () => {
          events += page.events.length;
          await gate;
        },
      });
      await caughtUp(follower);
      await taken(store, share(newStream(), 'no-stream'));
      await until(() => events === 1, 'the first event');
      await taken(store, share(newStream(), 'no-stream', newEvents(5_000)));
      release();
      await until(() => events === 5_001 && follower.notices.length === 3, 'all of it');
      const tags = follower.notices.map(({ _tag }) => _tag);
      expect(tags).to.deep.equal(['CaughtUp', 'FellBehind', 'CaughtUp']);
    });

    it('drops when its page is rejected, says why, and hands over nothing more', async () => {
      await taken(store, share(newStream(), 'no-stream', newEvents(2)));
      let calls = 0;
      const follower = follow({
        onPage: () => () => {
          calls += 1;
          return Promise.reject(new Error('the table is full'));
        },
      });
      await until(() => follower.notices.length > 0, 'the notice');
      expect(follower.notices).to.deep.equal([{ _tag: 'Dropped', reason: 'the table is full' }]);
      await taken(store, share(newStream(), 'no-stream'));
      await follower.subscription.stop();
      expect(calls).to.equal(1);
    });

    it('drops when it is asked to begin behind the end of history', async () => {
      await taken(store, share(newStream(), 'no-stream'));
      const follower = follow({ from: 1_000_000n });
      await until(() => follower.notices.length > 0, 'the notice');
      expect(follower.notices[0]).to.have.property('_tag', 'Dropped');
    });

    it('hands over nothing after stop has settled', async () => {
      const follower = follow();
      await caughtUp(follower);
      await follower.subscription.stop();
      await taken(store, share(newStream(), 'no-stream'));
      const other = follow();
      await until(() => other.seen.length === 1, 'the other subscription');
      expect(follower.seen).to.deep.equal([]);
    });
  });
};
