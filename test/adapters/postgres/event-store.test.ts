// What only the event store on PostgreSQL does: inline writes, the caller's own transaction, limits of a statement, lost connections.
import { expect } from 'chai';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import pg from 'pg';
import type { Fragment } from '../../../adapters/postgres/append-statement.js';
import type { InlineWrites } from '../../../adapters/postgres/append.js';
import { connect } from '../../../adapters/postgres/connection.js';
import { postgresEventStore, type PostgresEventStore } from '../../../adapters/postgres/event-store.js';
import type { SchemaName } from '../../../adapters/postgres/schema-name.js';
import type { NewEvent } from '../../../domain/ledger.js';
import type { StreamAppend } from '../../../domain/ports.js';
import {
  ids,
  newEvent,
  newEvents,
  newStream,
  outcomesOf,
  share,
  succeed,
  taken,
  until,
} from '../../contract/appending.js';
import { schemaDatabase, type SchemaDatabase } from '../../support/schemas.js';

describe('the event store on PostgreSQL alone', () => {
  let database: SchemaDatabase;
  let pool: pg.Pool;
  let schema: SchemaName;
  let store: PostgresEventStore;
  before(async () => {
    database = await schemaDatabase();
    pool = database.pool;
    schema = await database.migratedSchema();
    store = postgresEventStore(pool, { schema, pollMilliseconds: 60_000 });
    await pool.query(`CREATE TABLE ${schema}.note (stream text, remark text CHECK (remark <> 'bad'))`);
  });
  after(async () => {
    await store.close();
    await database.drop();
  });

  const notes = async (...streams: readonly string[]): Promise<readonly string[]> => {
    const result = await pool.query<{ remark: string }>(
      `SELECT remark FROM ${schema}.note WHERE stream = ANY ($1) ORDER BY remark`,
      [streams],
    );
    return result.rows.map(({ remark }) => remark);
  };

  /** A remark for every stream, in one table; and a second fragment, with a parameter of its own, for every call. */
  const remarks = (appends: readonly StreamAppend[]): readonly Fragment[] => [
    {
      name: 'note',
      params: [appends.map(({ stream }) => stream), appends.map(({ events }) => events[0]?.type)],
      sql: (param) => `note AS (
        INSERT INTO ${schema}.note (stream, remark)
        SELECT n.stream, n.remark FROM unnest(${param(0)}::text[], ${param(1)}::text[]) n (stream, remark)
        JOIN won ON won.stream = n.stream
      )`,
    },
    { name: 'unused', params: ['x'], sql: (param) => `unused AS (SELECT ${param(0)}::text)` },
  ];

  describe('inline writes', () => {
    const inline: InlineWrites = { fragments: remarks };
    let noting: PostgresEventStore;
    before(() => {
      noting = postgresEventStore(pool, { schema, inline });
    });

    it('commit with the streams that were inserted now, and with no others', async () => {
      const [there, fresh] = [newStream(), newStream()];
      await taken(noting, share(there, 'no-stream', [newEvent('One')]));
      const again = [
        share(there, 'no-stream', [newEvent('Two')]),
        share(fresh, 'no-stream', [newEvent('Three')]),
      ];
      await outcomesOf(noting, ...again);
      await outcomesOf(noting, ...again);
      expect(await notes(there, fresh)).to.deep.equal(['One', 'Three']);
    });

    it('that are refused take only the streams with them that they belong to', async () => {
      const appends = ['Fine', 'bad', 'Good', 'bad', 'Well'].map((type) =>
        share(newStream(), 'no-stream', [newEvent(type)]),
      );
      const outcomes = await outcomesOf(noting, ...appends);
      expect(outcomes.map(isRight)).to.deep.equal([true, false, true, false, true]);
      expect(outcomes[1]).to.have.nested.property('left._tag', 'Rejected');
      expect(await notes(...appends.map(({ stream }) => stream))).to.deep.equal(['Fine', 'Good', 'Well']);
    });
  });

  describe('in bulk', () => {
    const MANY = 40;
    const seen = (append: StreamAppend): StreamAppend => ({ ...append, isSeen: true });
    const inlineStore = (db: pg.Pool | pg.ClientBase, isOwnTransaction = false) =>
      postgresEventStore(db, { schema, inline: { fragments: remarks }, isOwnTransaction });

    it('answers for each stream as it does for few: one that has gone on costs its neighbours nothing', async () => {
      const streams = Array.from({ length: MANY }, () => newStream());
      const noting = inlineStore(pool);
      await taken(noting, ...streams.map((stream) => share(stream, 'no-stream', [newEvent('First')])));
      await taken(noting, share(streams[7] ?? '', 0n, [newEvent('Faster')]));
      const outcomes = await outcomesOf(
        noting,
        ...streams.map((stream) => seen(share(stream, 0n, [newEvent('Second'), newEvent('Third')]))),
      );
      expect(outcomes.filter(isRight)).to.have.length(MANY - 1);
      expect(outcomes[7]).to.have.nested.property('left.current', 1n);
      expect(await notes(streams[7] ?? '', streams[8] ?? '')).to.have.members([
        'First',
        'Faster',
        'First',
        'Second',
      ]);
    });

    it('recognises a retry, and refuses a value that the server refuses alone', async () => {
      const appends = Array.from({ length: MANY }, (_, n) =>
        share(newStream(), 'no-stream', [newEvent(n === 3 ? 'bad' : 'Fine')]),
      );
      const noting = inlineStore(pool);
      const first = await outcomesOf(noting, ...appends);
      expect(first.filter(isRight)).to.have.length(MANY - 1);
      const again = (await outcomesOf(noting, ...appends)).flatMap((each) =>
        isRight(each) ? [each.right] : [],
      );
      expect(again.map(({ alreadyThere }) => alreadyThere)).to.deep.equal(
        Array.from({ length: MANY - 1 }, () => true),
      );
    });

    it('keeps texts exactly: names and JSON with tabs, backslashes, line feeds and the end mark of COPY', async () => {
      const odd = ['job-\t\n\\.', '\\.', 'a\\b', 'tab\there'].map((name) => `${name}${newStream()}`);
      const data = { text: 'back \\ slash, tab \t, feed \n, return \r, \\. \\N', nul: '\u0000', '': '🙂' };
      const appends = [...odd, ...Array.from({ length: MANY }, () => newStream())].map((stream) =>
        share(stream, 'no-stream', [newEvent('Odd\ttype', data)]),
      );
      await taken(store, ...appends);
      for (const stream of odd) {
        const [event] = await succeed(store.readStream(stream));
        expect(event).to.deep.include({ stream, type: 'Odd\ttype', data });
      }
    });

    it('in a transaction of ours, a stream that has gone on costs nothing else of it', async () => {
      const streams = Array.from({ length: MANY }, () => newStream());
      await taken(store, share(streams[0] ?? '', 'no-stream', [newEvent('There')]));
      const client = await pool.connect();
      await client.query('BEGIN');
      const outcomes = await outcomesOf(
        inlineStore(client, true),
        ...streams.map((stream) => share(stream, 'no-stream', [newEvent('Mine')])),
      );
      await client.query('COMMIT');
      client.release();
      expect(outcomes.map(isRight)).to.deep.equal(streams.map((_, n) => n > 0));
      expect(await notes(...streams)).to.have.length(MANY - 1);
    });
  });

  describe('in a transaction of the caller', () => {
    it('appends and inline writes come and go with it', async () => {
      const stream = newStream();
      for (const end of ['ROLLBACK', 'COMMIT']) {
        const client = await pool.connect();
        await client.query('BEGIN');
        const own = postgresEventStore(client, { schema, inline: { fragments: remarks } });
        await taken(own, share(stream, 'no-stream', [newEvent('Mine')]));
        await taken(own, share(stream, 0n, [newEvent('Next')]));
        expect(await succeed(own.readStream(stream))).to.have.length(2);
        expect(await succeed(store.readStream(stream))).to.have.length(0);
        await client.query(end);
        client.release();
      }
      expect(await succeed(store.readStream(stream))).to.have.length(2);
      expect(await notes(stream)).to.deep.equal(['Mine', 'Next']);
    });

    it('large stretches are read too, and leave the connection usable', async () => {
      await taken(store, share(newStream(), 'no-stream', newEvents(1_000)));
      const client = await pool.connect();
      await client.query('BEGIN');
      const { events } = await succeed(postgresEventStore(client, { schema }).readAll({ after: 0n }));
      expect(events.length).to.be.at.least(1_000);
      await client.query('COMMIT');
      client.release();
    });
  });

  describe('sizes (field case 15)', () => {
    it('500 jobs of 3 KiB go in one call', async () => {
      const appends = Array.from({ length: 500 }, () =>
        share(newStream(), 'no-stream', [newEvent('Large', { text: 'x'.repeat(3 * 1024) })]),
      );
      expect(await taken(store, ...appends)).to.have.length(500);
    });

    it('many megabytes are split over statements, between streams only', async () => {
      const large = (): NewEvent => newEvent('Large', { text: 'y'.repeat(1024 * 1024) });
      const appends = Array.from({ length: 4 }, () =>
        share(newStream(), 'no-stream', Array.from({ length: 3 }, large)),
      );
      const appended = await taken(store, ...appends);
      expect(appended.map(({ revision }) => revision)).to.deep.equal([2n, 2n, 2n, 2n]);
    });

    it('a page of large events ends early, and the next goes on', async () => {
      const after = await succeed(store.end());
      const written: string[] = [];
      for (let count = 0; count < 4; count += 1) {
        const events = [newEvent('Large', { text: 'z'.repeat(12 * 1024 * 1024) })];
        written.push(...ids(events));
        await taken(store, share(newStream(), 'no-stream', events));
      }
      const pages = [];
      for (let position = after; position < (await succeed(store.end()));) {
        const page = await succeed(store.readAll({ after: position }));
        pages.push(page.events.length);
        expect(ids(page.events)).to.deep.equal(written.splice(0, page.events.length));
        position = page.upTo;
      }
      expect(written).to.deep.equal([]);
      expect(pages.length).to.be.above(1);
    });

    it('an event larger than a page is read, and what comes behind it', async () => {
      const after = await succeed(store.end());
      const events = [newEvent('Large', { text: 'w'.repeat(36 * 1024 * 1024) }), newEvent('Small')];
      await taken(store, ...events.map((event) => share(newStream(), 'no-stream', [event])));
      const end = await succeed(store.end());
      const read: string[] = [];
      for (let position = after; position < end;) {
        const page = await succeed(store.readAll({ after: position }));
        read.push(...ids(page.events));
        position = page.upTo;
      }
      expect(read.toSorted()).to.deep.equal(ids(events).toSorted());
    });
  });

  it('gives times in UTC whatever the session says', async () => {
    const stream = newStream();
    const [event] = [{ ...newEvent(), recordedAt: '2026-07-01T00:30:00.120Z' }];
    await taken(store, share(stream, 'no-stream', [event]));
    const client = await pool.connect();
    await client.query(
      `SET TimeZone = 'Asia/Kolkata'; SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'iso_8601'`,
    );
    const other = postgresEventStore(client, { schema });
    const [read] = await succeed(other.readStream(stream));
    const [copied] = (await succeed(other.readAll({ after: (read?.position ?? 1n) - 1n }))).events;
    const before = await succeed(other.end());
    await taken(other, share(newStream(), 'no-stream', [event]));
    const [restored] = (await succeed(other.readAll({ after: before, limit: 1 }))).events;
    expect([read, copied, restored].map((each) => each?.recordedAt)).to.deep.equal(
      Array.from({ length: 3 }, () => '2026-07-01T00:30:00.120Z'),
    );
    client.release(true);
  });

  it('is not confused by the type parsers of a pool that is not ours', async () => {
    const TEXT = 25;
    const types = { getTypeParser: (oid: number) => (oid === TEXT ? String : () => 'nonsense') };
    const theirs = new pg.Pool({ connectionString: database.url, types });
    const stream = newStream();
    const other = postgresEventStore(theirs, { schema });
    await taken(other, share(stream, 'no-stream', newEvents(2)));
    const events = await succeed(other.readStream(stream));
    expect(events.map(({ revision }) => revision)).to.deep.equal([0n, 1n]);
    expect(await succeed(other.end())).to.equal(events.at(-1)?.position);
    await other.close();
    await theirs.end();
  });

  it('stops at an event that somebody wrote past it, and says where', async () => {
    const stream = newStream();
    const own = await database.migratedSchema();
    await pool.query(
      `INSERT INTO ${own}.event (stream, revision, id, type, data, metadata)
       VALUES ($1, 0, gen_random_uuid(), 'Foreign', '{}', '{"by":"hand"}')`,
      [stream],
    );
    const outcome = await postgresEventStore(pool, { schema: own }).readAll({ after: 0n })();
    expect(outcome).to.deep.nested.include({
      'left._tag': 'Corrupt',
      'left.stream': stream,
      'left.revision': 0n,
      'left.position': 1n,
    });
  });

  it('lives through a change of the table under its prepared statements (field case 27)', async () => {
    const own = await database.migratedSchema();
    const changing = postgresEventStore(pool, { schema: own });
    const stream = newStream();
    await taken(changing, share(stream, 'no-stream'));
    for (const change of ['ADD COLUMN x integer', 'DROP COLUMN x']) {
      await pool.query(`ALTER TABLE ${own}.event ${change}`);
      const reads = Array.from({ length: 8 }, () => succeed(changing.readStream(stream)));
      expect((await Promise.all(reads)).every((events) => events.length > 0)).to.equal(true);
      await taken(changing, share(newStream(), 'no-stream'));
    }
    await changing.close();
  });

  describe('subscriptions', () => {
    it('are woken by an append of another process, long before they would look', async () => {
      const other = await succeed(connect(database.url));
      const there = postgresEventStore(other, { schema });
      const seen: string[] = [];
      let hasCaughtUp = false;
      const subscription = store.subscribe({
        from: 'live',
        onPage:
          ({ events }) =>
          () =>
            Promise.resolve(void seen.push(...ids(events))),
        onNotice: () => (hasCaughtUp = true),
      });
      await until(() => hasCaughtUp, 'caught up');
      const events = newEvents(1);
      await taken(there, share(newStream(), 'no-stream', events));
      await until(() => seen.length > 0, 'the wake-up');
      expect(seen).to.deep.equal(ids(events));
      await subscription.stop();
      await there.close();
      await other.end();
    });

    it('go on after the server has ended every connection', async () => {
      const other = await succeed(connect(database.url));
      const following = postgresEventStore(other, { schema, pollMilliseconds: 20 });
      const seen: string[] = [];
      const notices: string[] = [];
      const subscription = following.subscribe({
        from: await succeed(store.end()),
        onPage:
          ({ events }) =>
          () =>
            Promise.resolve(void seen.push(...ids(events))),
        onNotice: ({ _tag }) => notices.push(_tag),
      });
      const events = newEvents(6);
      const stream = newStream();
      await taken(store, share(stream, 'no-stream', events.slice(0, 1)));
      for (let last = 0; last < 5; last += 1) {
        await pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'jobledger' AND pid <> pg_backend_pid()`,
        );
        await until(() => seen.length > last, 'the next event');
        const next = share(stream, BigInt(last), events.slice(last + 1, last + 2));
        const outcome = await store.append([next])();
        if (isLeft(outcome)) await taken(store, next);
      }
      await until(() => seen.length === 6, 'all events');
      expect(seen).to.deep.equal(ids(events));
      expect(notices).not.to.include('Dropped');
      await subscription.stop();
      await following.close();
      await other.end();
    });

    it('drop where a statement fails for good, and say why', async () => {
      const own = await database.migratedSchema();
      const doomed = postgresEventStore(pool, { schema: own, pollMilliseconds: 20 });
      await pool.query(`DROP SCHEMA ${own} CASCADE`);
      const reasons: string[] = [];
      const subscription = doomed.subscribe({
        from: 'start',
        onPage: () => () => Promise.resolve(),
        onNotice: (notice) => {
          if (notice._tag === 'Dropped') reasons.push(notice.reason);
        },
      });
      await until(() => reasons.length === 1, 'the notice');
      expect(reasons[0]).to.match(/does not exist/);
      await subscription.stop();
      await doomed.close();
    });
  });

  it('does not end the process when a wake-up fails', async () => {
    const other = await succeed(connect(database.url));
    const brief = postgresEventStore(other, { schema });
    await taken(brief, share(newStream(), 'no-stream'));
    brief.wake();
    await brief.close();
    await other.end();
    brief.wake();
  });
});
