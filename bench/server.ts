/** The one PostgreSQL of a run, in a temporary folder, with PostgreSQL's own defaults; and empty databases on it. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import pg from 'pg';
import { removeHome, start, temporaryHome } from '../test/support/embedded-home.js';
import { stopEmbedded } from '../adapters/embedded/index.js';

export interface Database {
  readonly url: string;
  /** For the one who measures. */
  readonly client: pg.Client;
  readonly drop: () => Promise<void>;
}

export interface Server {
  readonly version: string;
  /** What differs from PostgreSQL's defaults. */
  readonly settings: Readonly<Record<string, string>>;
  readonly database: () => Promise<Database>;
  readonly end: () => Promise<void>;
}

/** How the server is reached, by how many, how it speaks; and what has to be on. */
const KEPT =
  'listen_addresses port unix_socket_directories max_connections timezone log_timezone log_line_prefix lc_messages fsync synchronous_commit'.split(
    ' ',
  );

export const connected = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
};

const withClient = async <A>(url: string, use: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = await connected(url);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};

/** The embedded server is tuned for the ledger; a comparison takes what PostgreSQL comes with. */
const takeBackTuning = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string; value: string }>(
      `SELECT name, boot_val AS value FROM pg_settings
       WHERE sourcefile LIKE '%jobledger.conf' AND NOT lower(name) = ANY ($1)`,
      [KEPT],
    );
    for (const { name, value } of rows) {
      await client.query(`ALTER SYSTEM SET ${name} = ${pg.escapeLiteral(value)}`);
    }
  });

const factsOf = (url: string): Promise<Pick<Server, 'version' | 'settings'>> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string; value: string }>(
      `SELECT name, current_setting(name) AS value FROM pg_settings
       WHERE name IN ('server_version', 'fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size')`,
    );
    const settings = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    return { version: settings['server_version'] ?? 'unknown', settings };
  });

/** An empty database on the server at this address, whoever runs that. */
export const databaseOn = async (serverUrl: string): Promise<Database> => {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  // What the measure before left to be written must not be this one's burden.
  await withClient(serverUrl, async (client) => {
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
    await client.query('CHECKPOINT');
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const client = await connected(url.href);
  return {
    url: url.href,
    client,
    drop: async () => {
      await client.end();
      await withClient(serverUrl, (server) => server.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
};

// A run that is broken off ends its server too: signals and rm work in an exit handler, waiting does not.
const endOnExit = (home: string, pid: number): (() => void) => {
  const end = (): void => {
    process.kill(pid, 'SIGQUIT');
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  process.once('exit', end);
  return () => void process.off('exit', end);
};

export const startServer = async (): Promise<Server> => {
  const home = await temporaryHome();
  try {
    const first = await start(home);
    await takeBackTuning(first.url);
    await stopEmbedded(home)();
    const { url, pid } = await start(home);
    const forget = endOnExit(home, pid);
    const end = async (): Promise<void> => {
      forget();
      await removeHome(home);
    };
    return { ...(await factsOf(url)), database: () => databaseOn(url), end };
  } catch (error) {
    await removeHome(home);
    throw error;
  }
};
