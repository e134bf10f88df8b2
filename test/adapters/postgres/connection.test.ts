import { expect } from 'chai';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { connect } from '../../../adapters/postgres/connection.js';
import { succeed } from '../../contract/appending.js';
import { testDatabase, type TestDatabase } from '../../support/postgres.js';

describe('connect', () => {
  let database: TestDatabase;
  before(async () => {
    database = await testDatabase();
  });
  after(() => database.drop());

  const changed = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };

  const messageOf = async (url: string): Promise<string> => {
    const outcome = await connect(url)();
    return outcome._tag === 'Left' && 'message' in outcome.left ? outcome.left.message : 'connected';
  };

  it('gives a pool that names itself and leaves times as the server sent them', async () => {
    const pool = await succeed(connect(database.url));
    const result = await pool.query<{ name: string; time: unknown }>(
      `SELECT current_setting('application_name') AS name, '2026-01-01 00:00:00.123456+00'::timestamptz AS time`,
    );
    expect(result.rows[0]?.name).to.equal('jobledger');
    expect(result.rows[0]?.time).to.match(/\.123456/);
    await pool.end();
  });

  it('survives the end of its idle connections', async () => {
    const pool = await succeed(connect(database.url));
    await pool.query('SELECT 1');
    const other = await succeed(connect(database.url));
    const removed = new Promise((resolve) => pool.once('remove', resolve));
    await other.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await removed;
    expect((await pool.query('SELECT 1')).rowCount).to.equal(1);
    await Promise.all([pool.end(), other.end()]);
  });

  it('says that nothing listens there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const message = await messageOf(`postgres://me:secret@127.0.0.1:${port}/jobs`);
    expect(message).to.equal(
      `cannot use PostgreSQL at 127.0.0.1:${port}, database "jobs": nothing listens there; start the server, or correct host and port`,
    );
  });

  it('says that there is no such database', async () => {
    const message = await messageOf(changed((url) => (url.pathname = '/not_there')));
    expect(message).to.match(/database "not_there": the server has no such database; create it/);
  });

  it('says that the user or the password is wrong', async () => {
    const message = await messageOf(changed((url) => (url.username = 'nobody_of_this_name')));
    expect(message).to.match(/the server refuses this user or password/);
  });

  for (const url of ['', 'jobs', 'mysql://localhost/jobs', 'postgres:// /']) {
    it(`says that this is no URL of a database: ${JSON.stringify(url)}`, async () => {
      expect(await messageOf(url)).to.match(/postgres:\/\/user:password@host:5432\/database/);
    });
  }

  it('never repeats the password', async () => {
    const message = await messageOf('postgres://me:secret-word@127.0.0.1:1/jobs');
    expect(message).not.to.include('secret-word');
  });
});
