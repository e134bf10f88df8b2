// Field case 32: skipped because committed late.
import { expect } from 'chai';
import type pg from 'pg';
import { postgresEventStore, type PostgresEventStore } from '../../adapters/postgres/event-store.js';
import { openHorizon, postgresObserve } from '../../adapters/postgres/horizon.js';
import type { SchemaName } from '../../adapters/postgres/schema-name.js';
import { ids, newEvent, newStream, share, succeed, taken, until } from '../contract/appending.js';
import { eachEventOnce } from '../support/beside-appenders.js';
import { horizonReader, mutantHorizon, naiveReader, observedInParts } from '../support/late-commits.js';
import { schemaDatabase, type SchemaDatabase } from '../support/schemas.js';

describe('field case 32: an event that is committed late', () => {
  let database: SchemaDatabase;
  let pool: pg.Pool;
  let schema: SchemaName;
  let store: PostgresEventStore;
  let late: pg.PoolClient;

  before(async () => {
    database = await schemaDatabase();
    pool = database.pool;
  });
  after(() => database.drop());
  beforeEach(async () => {
    schema = await database.migratedSchema();
    store = postgresEventStore(pool, { schema, pollMilliseconds: 20 });
    late = await pool.connect();
    await late.query('BEGIN');
  });
  afterEach(async () => {
    await late.query('ROLLBACK');
    late.release();
    await store.close();
  });

  const first = newEvent('First');
  const second = newEvent('Second');
  const appendLate = () =>
    taken(postgresEventStore(late, { schema }), share(newStream(), 'no-stream', [first]));
  const appendNow = () => taken(store, share(newStream(), 'no-stream', [second]));

  const overtake = async (): Promise<void> => {
    await appendLate();
    await appendNow();
  };

  it('is seen, and before the one that overtook it', async () => {
    await overtake();
    const seen: string[] = [];
    let looks = 0;
    const subscription = store.subscribe({
      from: 'start',
      onPage: (page) => () => {
        seen.push(...ids(page.events));
        return Promise.resolve();
      },
    });
    const reader = openHorizon(postgresObserve(pool, schema));
    while (looks < 20) {
      expect((await reader.look()).complete).to.equal(undefined);
      looks += 1;
    }
    expect(seen).to.deep.equal([]);
    await late.query('COMMIT');
    await until(() => seen.length === 2, 'both events');
    expect(seen).to.deep.equal([first.id, second.id]);
    await subscription.stop();
  });

  it('does not hold a reader up for ever when it is rolled back', async () => {
    await overtake();
    const end = store.end()();
    await late.query('ROLLBACK');
    expect(await end).to.deep.equal({ _tag: 'Right', right: 2n });
    const page = await succeed(store.readAll({ after: 0n }));
    expect(ids(page.events)).to.deep.equal([second.id]);
  });

  it('holds up only what was drawn behind it', async () => {
    await appendNow();
    const reader = openHorizon(postgresObserve(pool, schema));
    await reader.look();
    await appendLate();
    expect(await reader.look()).to.deep.equal({ drawn: 2n, complete: 1n });
  });

  it('is seen once and in its place by readers beside many appenders', async () => {
    await eachEventOnce(store, () => undefined);
  });

  it('is no matter of a long transaction that appends nothing', async () => {
    await late.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await late.query(
      `INSERT INTO ${schema}.checkpoint (projection, position, version) VALUES ('other', 1, 1)`,
    );
    await appendNow();
    expect(ids((await succeed(store.readAll({ after: 0n }))).events)).to.deep.equal([second.id]);
  });

  it('is no matter of an appender to another ledger of the same database', async () => {
    const other = await database.migratedSchema();
    await taken(postgresEventStore(late, { schema: other }), share(newStream(), 'no-stream'));
    await appendNow();
    expect(ids((await succeed(store.readAll({ after: 0n }))).events)).to.deep.equal([second.id]);
  });

  it('is seen by the transaction that appended it', async () => {
    await appendLate();
    const own = postgresEventStore(late, { schema });
    expect(ids((await succeed(own.readAll({ after: 0n }))).events)).to.deep.equal([first.id]);
  });

  it('cannot be judged from inside an older snapshot, which therefore is refused', async () => {
    await late.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const outcome = await postgresEventStore(late, { schema }).end()();
    expect(outcome).to.have.nested.property('left._tag', 'Rejected');
    const known = await succeed(postgresEventStore(late, { schema }).readAll({ after: 0n, upTo: 7n }));
    expect(known).to.deep.equal({ events: [], upTo: 7n });
  });

  it('makes what was known of a server worthless when another takes its place', async () => {
    const observations = [
      { drawn: 9n, holders: [], server: 'old' },
      { drawn: 5n, holders: ['3/7'], server: 'new' },
      { drawn: 6n, holders: [], server: 'new' },
    ];
    const reader = openHorizon(() =>
      Promise.resolve(observations.shift() ?? { drawn: 0n, holders: [], server: '' }),
    );
    const told = [await reader.look(), await reader.look(), await reader.look()];
    expect(told.map(({ complete }) => complete)).to.deep.equal([9n, undefined, 6n]);
  });

  describe('with an appender between the two reads of an observation', () => {
    const once = (action: () => Promise<void>): (() => Promise<void>) => {
      let done = false;
      return async () => {
        if (!done) {
          done = true;
          await action();
        }
      };
    };

    it('is seen by a reader that reads the sequence first', async () => {
      const observe = observedInParts(pool, schema, 'drawn, then holders', once(overtake));
      const reader = horizonReader(pool, schema, openHorizon(observe));
      await reader.poll();
      await late.query('COMMIT');
      await reader.poll();
      await reader.poll();
      expect(ids(reader.seen)).to.deep.equal([first.id, second.id]);
    });

    it('is lost to a reader that reads the holders first', async () => {
      const reader = horizonReader(pool, schema, mutantHorizon(pool, schema, once(overtake)));
      await reader.poll();
      await late.query('COMMIT');
      await reader.poll();
      await reader.poll();
      expect(ids(reader.seen)).to.deep.equal([second.id]);
    });
  });

  it('is lost to a reader that goes on behind the last event it saw', async () => {
    await overtake();
    const reader = naiveReader(pool, schema);
    await reader.poll();
    await late.query('COMMIT');
    await reader.poll();
    expect(ids(reader.seen)).to.deep.equal([second.id]);
  });
});
