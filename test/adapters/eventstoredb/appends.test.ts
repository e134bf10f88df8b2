// What the client does badly around appends, and that it is contained. All on the protocol double of EventStoreDB.
import { expect } from 'chai';
import { isLeft, left } from 'fp-ts/lib/Either.js';
import { jsonEvent } from '@eventstore/db-client';
import { superviseClient } from '../../../adapters/eventstoredb/client-supervisor.js';
import { addressOf } from '../../../adapters/eventstoredb/connection.js';
import { streamNames } from '../../../adapters/eventstoredb/encoding.js';
import { attempt } from '../../../adapters/eventstoredb/errors.js';
import { eventStoreDbStore } from '../../../adapters/eventstoredb/event-store.js';
import { readStretch } from '../../../adapters/eventstoredb/read.js';
import { ledgerClosed } from '../../../domain/errors.js';
import type { EventStore } from '../../../domain/ports.js';
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
} from '../../contract/appending.js';
import { doubledStore, openStore, type DoubledStore } from '../../support/eventstore-double/doubled-store.js';
import { halfOpenProxy } from '../../support/half-open-proxy.js';

const countOf = async (store: EventStore, stream: string): Promise<number> =>
  (await succeed(store.readStream(stream))).length;

describe('appends to EventStoreDB (protocol double)', () => {
  let doubled: DoubledStore;
  beforeEach(async () => {
    doubled = await doubledStore({ deadlineMs: 3_000 });
  });
  afterEach(() => doubled.close());

  it('end with an unknown outcome where the server is silent, instead of waiting for ever', async () => {
    const { store } = openStore(doubled.double.url, { deadlineMs: 100 });
    doubled.double.faults.silent = true;
    const outcome = await store.append([share(newStream(), 'no-stream')])();
    expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
    await store.close();
  });

  it('are written once where the answer was lost behind the commit', async () => {
    const { store, double } = doubled;
    for (const fault of ['lostReplies', 'brokenReplies'] as const) {
      const stream = newStream();
      double.faults[fault] = 1;
      const [appended] = await taken(store, share(stream, 'no-stream', newEvents(2)));
      expect(appended).to.include({ revision: 1n });
      expect(await countOf(store, stream)).to.equal(2);
    }
  });

  it('are compared by id where the server does not know them again', async () => {
    const { store, double } = doubled;
    double.faults.forgetful = true;
    const stream = newStream();
    double.faults.brokenReplies = 1;
    const [appended] = await taken(store, share(stream, 'no-stream', newEvents(2)));
    expect(appended).to.include({ revision: 1n, alreadyThere: true });
    expect(await refusal(store, share(stream, 'no-stream'))).to.deep.include({
      _tag: 'Conflict',
      current: 1n,
    });
    expect(await countOf(store, stream)).to.equal(2);
  });

  it('are recognised by the caller who repeats them after an unknown outcome', async () => {
    const { double } = doubled;
    const { store } = openStore(double.url, { deadlineMs: 200 });
    const append = share(newStream(), 'no-stream', newEvents(2));
    double.faults.lostReplies = 1_000;
    expect(await store.append([append])()).to.have.nested.property('left._tag', 'Unavailable');
    double.faults.lostReplies = 0;
    await taken(store, share(newStream(), 'no-stream'));
    expect(await taken(store, append)).to.have.nested.property('[0].alreadyThere', true);
    expect(await countOf(store, append.stream)).to.equal(2);
    await store.close();
  });

  it('are a conflict where somebody else was faster while the outcome was unknown', async () => {
    const { store, double } = doubled;
    const stream = newStream();
    double.faults.unavailable = 1;
    const [first, second] = await Promise.all([
      outcomesOf(store, share(stream, 'no-stream')),
      outcomesOf(store, share(stream, 'no-stream')),
    ]);
    expect([...first, ...second].filter(isLeft)).to.have.length(1);
    expect(await countOf(store, stream)).to.equal(1);
  });

  it('survive a server that is restarted meanwhile', async () => {
    const { store, double } = doubled;
    await taken(store, share(newStream(), 'no-stream'));
    double.stop();
    const stream = newStream();
    const appending = taken(store, share(stream, 'no-stream'));
    await double.start();
    await appending;
    expect(await countOf(store, stream)).to.equal(1);
  });

  it('leave a connection that is half open', async () => {
    const { double } = doubled;
    const proxy = await halfOpenProxy(double.port);
    const { store } = openStore(`esdb://127.0.0.1:${proxy.port}?tls=false`, { deadlineMs: 1_000 });
    await taken(store, share(newStream(), 'no-stream'));
    const before = proxy.connections();
    proxy.freeze();
    await taken(store, share(newStream(), 'no-stream'));
    expect(proxy.connections()).to.be.above(before);
    await store.close();
    proxy.close();
  });

  it('follow the leader', async () => {
    const { store, double } = doubled;
    double.faults.notLeader = { times: 1, host: '127.0.0.1', port: double.port };
    const [appended] = await taken(store, share(newStream(), 'no-stream'));
    expect(appended).to.include({ revision: 0n, alreadyThere: false });
  });

  it('recover from a discovery that failed, which the client never forgets', async () => {
    const { double } = doubled;
    const url = `esdb+discover://127.0.0.1:${double.port}?tls=false&maxDiscoverAttempts=1`;
    const { store } = openStore(url, { deadlineMs: 3_000 });
    double.faults.gossips = false;
    expect(await store.append([share(newStream(), 'no-stream')])()).to.have.nested.property(
      'left._tag',
      'Unavailable',
    );
    double.faults.gossips = true;
    await taken(store, share(newStream(), 'no-stream'));
    await store.close();
  });

  it('are never made again with a client whose discovery has failed', async () => {
    const { double } = doubled;
    const address = addressOf(`esdb+discover://127.0.0.1:${double.port}?tls=false&maxDiscoverAttempts=1`);
    if (isLeft(address)) throw new Error(address.left.message);
    const clients = superviseClient(address.right.newClient);
    // Without credentials the client asks what the server can do, and keeps the failure of that.
    const append = () =>
      clients.use((client) => client.appendToStream('x', jsonEvent({ type: 'X', data: {} })), 3_000);
    const failure = (): Promise<string> => append().then(() => 'none', String);
    double.faults.gossips = false;
    expect(await failure()).to.match(/Failed to discover/);
    double.faults.gossips = true;
    expect(await failure()).to.not.match(/Failed to discover/);
    expect(clients.generation()).to.equal(2);
    await clients.close();
  });

  it('get another client, and so another connection, behind the first that is not answered', async () => {
    const address = addressOf(doubled.double.url);
    if (isLeft(address)) throw new Error(address.left.message);
    const clients = superviseClient(address.right.newClient);
    const failure = await clients.use(() => new Promise(() => undefined), 10).then(() => 'none', String);
    expect(failure).to.match(/no answer within 10 ms/);
    await clients.use(() => Promise.resolve(), 3_000);
    expect(clients.generation()).to.equal(2);
    await clients.close();
  });

  it('are not harmed by what happens to another store of the process', async () => {
    const other = await doubledStore();
    const streams = Array.from({ length: 60 }, () => newStream());
    const appending = taken(doubled.store, ...streams.map((stream) => share(stream, 'no-stream')));
    const failing = other.store.append([share(newStream(), 'no-stream')])();
    other.double.stop();
    expect(await appending).to.have.length(60);
    expect(doubled.double.log.records).to.have.length(60);
    await failing;
    await other.close();
  });

  it('are conflicts with a URL that tells the client not to throw, too', async () => {
    const { double } = doubled;
    const { store } = openStore(`${double.url}&throw-on-append-failure=false`);
    const stream = newStream();
    await taken(store, share(stream, 'no-stream', newEvents(3)));
    const error = await refusal(store, share(stream, 'no-stream'));
    expect(error).to.deep.include({ _tag: 'Conflict', current: 2n });
    const [appended] = await taken(store, share(stream, 2n));
    expect(appended).to.include({ revision: 3n });
    await store.close();
  });

  it('to many new streams at once come through, so many at a time', async () => {
    const { store, double } = doubled;
    const streams = Array.from({ length: 500 }, () => newStream());
    expect(await taken(store, ...streams.map((stream) => share(stream, 'no-stream')))).to.have.length(500);
    expect(double.appends.most).to.be.within(2, 64);
  });

  it('are repeated where the server was short of something', async () => {
    const { store, double } = doubled;
    double.faults.exhausted = 2;
    await taken(store, share(newStream(), 'no-stream'));
    expect(double.log.records).to.have.length(1);
  });

  it('have a connection that is not shared with reads, though keep-alive is turned off', async () => {
    const { double } = doubled;
    const proxy = await halfOpenProxy(double.port);
    const { store } = openStore(`esdb://127.0.0.1:${proxy.port}?tls=false&keepAliveInterval=-1`);
    await taken(store, share(newStream(), 'no-stream'));
    await succeed(store.end());
    expect(proxy.connections()).to.equal(2);
    await store.close();
    proxy.close();
  });

  it('to a store that is closed are refused as that, and what is read there is not tried again', async () => {
    const { store } = openStore(doubled.double.url);
    await store.close();
    expect(await store.append([share(newStream(), 'no-stream')])()).to.deep.equal(left(ledgerClosed));
    const clients = superviseClient(() => {
      throw new Error('a closed supervisor asked for a client');
    });
    await clients.close();
    let tries = 0;
    const use: typeof clients.use = (work, deadlineMs) => {
      tries += 1;
      return clients.use(work, deadlineMs);
    };
    const reading = { clients: { ...clients, use }, names: streamNames('doubled'), deadlineMs: 1_000 };
    const reads = attempt(() => readStretch(reading, { after: 0n, upTo: 1n, limit: undefined }));
    expect(await reads()).to.deep.equal(left(ledgerClosed));
    expect(tries).to.equal(1);
  });

  it('refuse what cannot be written as JSON without a word to the client', async () => {
    const stream = newStream();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (const data of [{ a: 1n }, circular]) {
      const error = await refusal(doubled.store, share(stream, 'no-stream', [newEvent('Odd', data)]));
      expect(error).to.have.property('_tag', 'Rejected');
    }
    expect(doubled.double.log.records).to.have.length(0);
  });

  it('of events that are larger together than a server takes name the limit, and harm no neighbour', async () => {
    const events = Array.from({ length: 400 }, () => newEvent('Large', { text: 'x'.repeat(3_000) }));
    const [large, small] = await outcomesOf(
      doubled.store,
      share(newStream(), 'no-stream', events),
      share(newStream(), 'no-stream'),
    );
    expect(large).to.deep.nested.include({ 'left._tag': 'TooLarge', 'left.limit': 1_048_576 });
    expect(small).to.have.property('_tag', 'Right');
  });

  it('go to streams that begin with the name of the ledger, and no other ledger sees them', async () => {
    const { store, double } = doubled;
    const stream = newStream();
    const events = newEvents(1);
    await taken(store, share(stream, 'no-stream', events));
    expect(double.log.records.map((record) => record.stream)).to.deep.equal([`doubled_${stream}`]);
    const other = openStore(double.url, { ledger: 'double' });
    expect((await succeed(other.store.readAll({ after: 0n }))).events).to.deep.equal([]);
    expect(ids((await succeed(store.readAll({ after: 0n }))).events)).to.deep.equal(ids(events));
    await other.store.close();
  });

  for (const [what, url, ledger] of [
    ['a URL of another kind', 'postgres://localhost', 'jobledger'],
    ['a URL without a host', 'esdb://', 'jobledger'],
    ['TLS without user and password', 'esdb://localhost:2113', 'jobledger'],
    ['a name with an underscore', 'esdb://localhost?tls=false', 'job_ledger'],
  ] as const) {
    it(`are refused in a sentence: ${what}`, () => {
      const store = eventStoreDbStore({ url, ledger });
      expect(store).to.have.nested.property('left._tag', 'Rejected');
      expect(store)
        .to.have.nested.property('left.message')
        .match(/EventStoreDB/);
    });
  }
});
