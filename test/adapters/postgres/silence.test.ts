// Connections that go silent: every statement has a deadline, and what missed it is thrown away.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type pg from 'pg';
import { connect } from '../../../adapters/postgres/connection.js';
import { attempt } from '../../../adapters/postgres/error-mapping.js';
import { rowsOf, withClient } from '../../../adapters/postgres/statement.js';
import { right } from '../../support/outcome.js';
import { testDatabase, type TestDatabase } from '../../support/postgres.js';
import { proxyTo, type Proxy } from '../../support/proxy.js';

const DEADLINE_MS = 600;

describe('a connection that goes silent', () => {
  let database: TestDatabase;
  let proxy: Proxy;
  let pool: pg.Pool;

  beforeEach(async () => {
    database = await testDatabase();
    proxy = await proxyTo(`${database.url}?query_timeout=${DEADLINE_MS}`);
    pool = await right(connect(proxy.url));
  });
  afterEach(async () => {
    await pool.end();
    await proxy.close();
    await database.drop();
  });

  const answer = (text: string) => attempt(async () => (await rowsOf(pool, { text }, []))[0]?.[0])();

  /** So many connections that have nothing to do. */
  const idle = async (count: number): Promise<void> => {
    const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()));
    await Promise.all(clients.map((client) => client.query('SELECT 1')));
    for (const client of clients) client.release();
    expect(pool.idleCount).to.equal(count);
  };

  it('fails its statement as one whose outcome is unknown, and is replaced', async () => {
    proxy.silence();
    const outcome = await answer(`SELECT 'lost'`);
    expect(E.isLeft(outcome) && outcome.left).to.deep.equal({
      _tag: 'Unavailable',
      message: 'the database did not answer within 0.6 s; the connection was thrown away',
    });
    expect(await answer(`SELECT 'here'`)).to.deep.equal(E.right('here'));
  });

  it('takes those with it that lie idle beside it, so that the deadline is missed once', async () => {
    await idle(4);
    proxy.silence();
    expect(E.isLeft(await answer(`SELECT 'lost'`))).to.equal(true);
    expect(await answer(`SELECT 'here'`)).to.deep.equal(E.right('here'));
  });

  it('does not keep a pool from being ended', async () => {
    const other = await right(connect(proxy.url));
    const client = await other.connect();
    client.release();
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve);
    });
    proxy.silence();
    await other.end();
    await ended;
  });

  it('is not one whose statement asked for more time', async () => {
    const slow = 'SELECT pg_sleep(1.5)::text';
    expect(E.isLeft(await answer(slow))).to.equal(true);
    const patient = withClient(pool, (client) => rowsOf(client, { text: slow }, []), 60_000);
    expect(await patient).to.deep.equal([['']]);
    expect(E.isLeft(await answer(slow)), 'given back, it has the usual time').to.equal(true);
  });

  it('is not one whose answer is long and on its way', async () => {
    const rows = await rowsOf(
      pool,
      { text: `SELECT repeat('x', 20000), pg_sleep(0.2)::text FROM generate_series(1, 10)` },
      [],
    );
    expect(rows).to.have.lengthOf(10);
  });

  it('is not one that nobody could listen to, because a handler blocked the process', async () => {
    const asked = answer(`SELECT 'heard'`);
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * DEADLINE_MS);
    expect(await asked).to.deep.equal(E.right('heard'));
  });
});
