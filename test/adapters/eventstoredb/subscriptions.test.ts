// Subscriptions that die in every way known, and go on. All on the protocol double of EventStoreDB.
import { expect } from 'chai';
import type { Subscription } from '../../../domain/ports.js';
import { ids, newEvent, newEvents, newStream, share, succeed, taken } from '../../contract/appending.js';
import { collected } from '../../support/collected.js';
import { doubledStore, openStore, type DoubledStore } from '../../support/eventstore-double/doubled-store.js';
import { halfOpenProxy } from '../../support/half-open-proxy.js';
import { gate, until } from '../../support/waiting.js';

const appendOne = async ({ store }: Pick<DoubledStore, 'store'>): Promise<string> => {
  const event = newEvent();
  await taken(store, share(newStream(), 'no-stream', [event]));
  return event.id;
};

interface Followed {
  readonly seen: readonly string[];
  readonly positions: readonly bigint[];
  readonly subscription: Subscription;
}

const follow = ({ store }: Pick<DoubledStore, 'store'>): Followed => {
  const [seen, positions]: [string[], bigint[]] = [[], []];
  const subscription = store.subscribe({
    from: 'start',
    onPage:
      ({ events, upTo }) =>
      () => {
        seen.push(...ids(events));
        positions.push(upTo);
        return Promise.resolve();
      },
  });
  return { seen, positions, subscription };
};

const isRising = (positions: readonly bigint[]): boolean =>
  positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? 0n));

describe('subscriptions to EventStoreDB (protocol double)', () => {
  let doubled: DoubledStore;
  beforeEach(async () => {
    doubled = await doubledStore({ silenceMs: 200 });
  });
  afterEach(() => doubled.close());

  const goesOn = async (breaks: () => Promise<void> | void): Promise<Followed> => {
    const followed = follow(doubled);
    const written = [await appendOne(doubled)];
    await until('the first event', () => followed.seen.length === 1);
    await until('live', () => doubled.states.at(-1) === 'live');
    await breaks();
    written.push(await appendOne(doubled));
    await until('the second event', () => followed.seen.length === 2);
    written.push(await appendOne(doubled));
    await until('the third event', () => followed.seen.length === 3);
    expect(followed.seen).to.deep.equal(written);
    expect(isRising(followed.positions)).to.equal(true);
    return followed;
  };

  const droppedOnce = ['connecting', 'catching-up', 'live', 'dropped', 'connecting', 'catching-up', 'live'];

  it('go on where they were when the server ends them without an error', async () => {
    await goesOn(() => doubled.double.endSubscriptions());
    expect(doubled.states).to.deep.equal(droppedOnce);
    expect(doubled.lines).to.have.length(1);
    // Not by its silence: that would take a while.
    expect(doubled.lines[0]).to.match(/ended the subscription|was closed/);
  });

  it('go on where they were when the server is restarted, each time that it is', async () => {
    for (let times = 1; times <= 3; times += 1) {
      const followed = follow(doubled);
      await until('live', () => doubled.states.at(-1) === 'live');
      doubled.double.stop();
      await until('dropped', () => doubled.lines.length >= times);
      await doubled.double.start();
      const id = await appendOne(doubled);
      await until('the event', () => followed.seen.at(-1) === id);
      await followed.subscription.stop();
    }
  });

  it('are given up and begun anew when they are silent while the log goes on', async () => {
    const followed = follow(doubled);
    const first = await appendOne(doubled);
    await until('the first event', () => followed.seen.length === 1);
    await until('live', () => doubled.states.at(-1) === 'live');
    doubled.double.silenceSubscriptions();
    const second = await appendOne(doubled);
    await until('the second event', () => followed.seen.length === 2);
    expect(followed.seen).to.deep.equal([first, second]);
    expect(doubled.lines[0]).to.match(/silent at position \d+ while the log goes on to \d+/);
  });

  it('leave a connection that is half open', async () => {
    const proxy = await halfOpenProxy(doubled.double.port);
    const through = openStore(`esdb://127.0.0.1:${proxy.port}?tls=false`, {
      deadlineMs: 1_000,
      silenceMs: 200,
    });
    const followed = follow(through);
    await until('live', () => through.states.at(-1) === 'live');
    proxy.freeze();
    const id = await appendOne(doubled);
    await until('the event', () => followed.seen.at(-1) === id);
    // The first new call is on a new connection: on the old one each would be dropped in its turn, until keep-alive ends it.
    expect(through.lines.length).to.be.within(1, 3);
    await through.store.close();
    proxy.close();
  });

  it('are never more than one call at a time', async () => {
    const followed = follow(doubled);
    await until('live', () => doubled.states.at(-1) === 'live');
    for (let times = 0; times < 5; times += 1) {
      const before = doubled.states.length;
      doubled.double.endSubscriptions();
      await until('live again', () => doubled.states.slice(before).includes('live'));
      expect(doubled.double.subscriptions.calls.size).to.equal(1);
    }
    await followed.subscription.stop();
    await until('no call', () => doubled.double.subscriptions.calls.size === 0);
  });

  it('move on over what is not theirs, and are not taken for silent', async () => {
    const followed = follow(doubled);
    await until('live', () => doubled.states.at(-1) === 'live');
    const other = openStore(doubled.double.url, { ledger: 'other' });
    await taken(other.store, share(newStream(), 'no-stream', newEvents(3)));
    const end = await succeed(other.store.end());
    await until('the end', () => followed.positions.at(-1) === end);
    expect(followed.seen).to.deep.equal([]);
    expect(doubled.lines).to.deep.equal([]);
    await other.store.close();
  });

  for (const version of ['23.10', '24.10'] as const) {
    it(`lose and repeat nothing where they are too slow for the buffer of a server ${version}`, async () => {
      const slow = await doubledStore({}, { version });
      const door = gate();
      const [seen, positions]: [string[], bigint[]] = [[], []];
      slow.store.subscribe({
        from: 'start',
        onPage: (page) => async () => {
          seen.push(...ids(page.events));
          positions.push(page.upTo);
          if (seen.length > 0) await door.opened;
        },
      });
      await until('live', () => slow.states.at(-1) === 'live');
      const written = [await appendOne(slow)];
      await until('the first event', () => seen.length === 1);
      for (let times = 0; times < 10; times += 1) {
        const large = Array.from({ length: 200 }, () => newEvent('Large', { text: 'x'.repeat(4_500) }));
        await taken(slow.store, share(newStream(), 'no-stream', large));
        written.push(...ids(large));
      }
      door.open();
      await until('all of them', () => seen.length >= written.length);
      expect(seen).to.deep.equal(written);
      expect(isRising(positions)).to.equal(true);
      const drops = slow.lines.filter((line) => line.includes('too slow'));
      expect(drops).to.have.length(version === '23.10' ? 1 : 0);
      expect(slow.states.filter((state) => state === 'catching-up').length).to.be.above(1);
      await slow.close();
    });
  }

  it('keep nothing of the pages that are handled while they wait for the next', async () => {
    const quiet = await doubledStore({ silenceMs: 3_600_000 });
    const handled: WeakRef<object>[] = [];
    const note = (events: readonly object[]): void => {
      for (const event of events) handled.push(new WeakRef(event));
    };
    quiet.store.subscribe({ from: 'start', onPage: (page) => () => Promise.resolve(note(page.events)) });
    await until('live', () => quiet.states.at(-1) === 'live');
    for (let n = 1; n <= 3; n += 1) {
      await appendOne(quiet);
      await until('the event', () => handled.length === n);
    }
    try {
      await collected('what was handled', handled);
    } finally {
      await quiet.close();
    }
  });

  it('hold the server back while the handler is busy', async () => {
    let isFree = (): void => undefined;
    const free = new Promise<void>((resolve) => (isFree = resolve));
    let seen = 0;
    doubled.store.subscribe({
      from: 'start',
      onPage: (page) => async () => {
        seen += page.events.length;
        await free;
      },
    });
    await until('live', () => doubled.states.at(-1) === 'live');
    await taken(doubled.store, share(newStream(), 'no-stream'));
    await until('the first event', () => seen === 1);
    const large = () => Array.from({ length: 200 }, () => newEvent('Large', { text: 'x'.repeat(4_500) }));
    for (let times = 0; times < 10; times += 1) {
      await taken(doubled.store, share(newStream(), 'no-stream', large()));
    }
    expect(doubled.double.subscriptions.sent).to.be.below(1_000);
    isFree();
    await until('all of them', () => seen === 2_001);
  });
});

describe('reads from EventStoreDB (protocol double)', () => {
  let doubled: DoubledStore;
  before(async () => {
    doubled = await doubledStore();
  });
  after(() => doubled.close());

  it('leave no call open on the server, wherever they end', async () => {
    const { store, double } = doubled;
    await taken(store, share(newStream(), 'no-stream', newEvents(50)));
    for (let after = 0n; after < (await succeed(store.end()));) {
      after = (await succeed(store.readAll({ after, limit: 7 }))).upTo;
    }
    await until('no call', () => double.subscriptions.calls.size === 0);
  });

  it('of a stretch are begun again where the server breaks them off', async () => {
    const { store, double } = doubled;
    await taken(store, share(newStream(), 'no-stream', newEvents(50)));
    const breaking = async (): Promise<void> => {
      while (double.subscriptions.calls.size === 0) await new Promise((resolve) => setImmediate(resolve));
      double.endSubscriptions();
    };
    const [page] = await Promise.all([succeed(store.readAll({ after: 0n })), breaking()]);
    expect(page.events.length).to.be.at.least(50);
  });

  it('of more streams than a connection has calls come through, beside subscriptions', async () => {
    const { store, double, states } = doubled;
    const before = states.length;
    const onPage = () => () => Promise.resolve();
    for (let n = 0; n < 110; n += 1) store.subscribe({ from: 'start', streamPrefix: 'none', onPage });
    const isLive = () => states.slice(before).filter((state) => state === 'live').length === 110;
    await until('all are live', isLive);
    double.reads.most = 0;
    const streams = Array.from({ length: 150 }, () => newStream());
    await taken(store, ...streams.map((stream) => share(stream, 'no-stream')));
    expect((await succeed(store.readStreams(streams))).size).to.equal(150);
    expect(double.reads.most).to.be.within(2, 32);
  });

  it('end where the server is silent', async () => {
    const { store } = openStore(doubled.double.url, { deadlineMs: 300 });
    doubled.double.faults.silent = true;
    for (const read of [store.readStream('job-x'), store.readAll({ after: 0n }), store.end()]) {
      expect(await read()).to.have.nested.property('left._tag', 'Unavailable');
    }
    doubled.double.faults.silent = false;
    await succeed(store.end());
    await store.close();
  });

  it('of an event that is not ours say where it stands', async () => {
    const { store, double } = doubled;
    const alien = {
      id: crypto.randomUUID(),
      type: 'Alien',
      isJson: true,
      data: Buffer.from('{'),
      metadata: Buffer.from('{}'),
    };
    double.log.append('doubled_job-alien', 'any', [alien]);
    expect(await store.readStream('job-alien')()).to.deep.nested.include({
      'left._tag': 'Corrupt',
      'left.stream': 'job-alien',
      'left.revision': 0n,
    });
  });
});
