// A real PostgreSQL for tests. Use:
//
//   const database = await testDatabase();   // an empty database of your own, UTF8
//   … connect to database.url …
//   await database.drop();                   // in after(); closes what is still connected
//
// One embedded server is started at the first call of a mocha run, in a temporary home, and ended by the root
// hook in hooks.ts. JOBLEDGER_TEST_DATABASE_URL (a superuser's) puts a server of yours in its place.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import pg from 'pg';
import { removeHome, start, temporaryHome } from './embedded-home.js';

export interface TestDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

interface Server {
  readonly url: string;
  readonly end: () => Promise<void>;
}

// A run that is broken off ends its server too: signals and rm work in an exit handler, waiting does not.
const endOnExit = (home: string, pid: number): (() => void) => {
  const end = (): void => {
    try {
      process.kill(pid, 'SIGQUIT');
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  };
  process.once('exit', end);
  return () => process.off('exit', end);
};

const startServer = async (): Promise<Server> => {
  const given = process.env['JOBLEDGER_TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') return { url: given, end: () => Promise.resolve() };
  const home = await temporaryHome();
  const { url, pid } = await start(home);
  const forget = endOnExit(home, pid);
  const end = async (): Promise<void> => {
    forget();
    await removeHome(home);
  };
  return { url, end };
};

let server: Promise<Server> | undefined;

const statement = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};

export const testDatabase = async (): Promise<TestDatabase> => {
  server ??= startServer();
  const { url: serverUrl } = await server;
  const name = `test_${randomBytes(6).toString('hex')}`;
  await statement(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => statement(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
};

export const endTestServer = async (): Promise<void> => {
  const running = server;
  server = undefined;
  if (running !== undefined) await (await running).end();
};
