/** Connections to a PostgreSQL of the user's: made so that nothing surprises, checked so that what is wrong is said in a sentence. */
import { left, right } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import pg from 'pg';
import { explainStoreError, rejected, unavailable, type StoreError } from '../../domain/errors.js';
import { codeOf, StoreFailure, toStoreError } from './error-mapping.js';
import { followPool, patience, silenceWatch } from './silence.js';
import type { Queryable } from './statement.js';

export interface ConnectOptions {
  readonly connections?: number;
  readonly applicationName?: string;
}

const OLDEST_SERVER = 14;
const CONNECT_MILLISECONDS = 10_000;
/** Longer than the rounds that use several at once (the reaper's): else each round would make them anew. */
const IDLE_MILLISECONDS = 30_000;
/** From here on the system asks a silent peer whether it is still there. */
const KEEP_ALIVE_MILLISECONDS = 10_000;

const DATE = 1082;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;

/** Dates stay the text that the server sent: a JavaScript Date loses microseconds and reads local times as ours. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    [DATE, TIMESTAMP, TIMESTAMPTZ].includes(oid) ? String : pg.types.getTypeParser(oid, format),
};

interface Address {
  readonly url: string;
  /** As it may be shown: without user and password. */
  readonly shown: string;
  /** Milliseconds that a statement may go without a byte: `query_timeout`, as node-postgres calls it. */
  readonly deadline: number;
}

const DEADLINE = 'query_timeout';

/** Taken out of the URL: node-postgres would count it by the clock, also while a page of history is on its way. */
const deadlineIn = (url: string): Pick<Address, 'url' | 'deadline'> => {
  const parsed = new URL(url);
  const milliseconds = Number(parsed.searchParams.get(DEADLINE) ?? 0);
  if (!(milliseconds > 0)) return { url, deadline: patience.usual };
  parsed.searchParams.delete(DEADLINE);
  return { url: parsed.href, deadline: milliseconds };
};

const addressOf = (url: string): Address | undefined => {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port, pathname, searchParams } = new URL(url);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') return undefined;
  const host = hostname || (searchParams.get('host') ?? 'localhost');
  const database = decodeURIComponent(pathname.slice(1));
  const shown = `${host}:${port || '5432'}${database === '' ? '' : `, database "${database}"`}`;
  return { ...deadlineIn(url), shown };
};

const causes: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there; start the server, or correct host and port'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'there is no such host; correct its name'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'the host does not answer; check the network and the port'],
  [/^3D000$/, 'the server has no such database; create it, or correct its name'],
  [/^28/, 'the server refuses this user or password; correct them'],
  [/^53300$/, 'the server has no connection left; close some, or raise max_connections'],
  [/^57P03$/, 'the server is starting up or shutting down; try again in a moment'],
];

const explain = (address: Address, error: unknown): StoreError => {
  if (error instanceof StoreFailure) return error.storeError;
  const mapped = toStoreError(error);
  const code = codeOf(error) ?? '';
  const said = explainStoreError(mapped);
  const timedOut = said.startsWith('timeout exceeded')
    ? 'the host does not answer; check the network and the port'
    : undefined;
  const cause = causes.find(([known]) => known.test(code))?.[1] ?? timedOut ?? said;
  const message = `cannot use PostgreSQL at ${address.shown}: ${cause}`;
  return mapped._tag === 'Unavailable' ? unavailable(message) : rejected(message);
};

export const refuseOldServer = async (db: Queryable): Promise<void> => {
  const result = await db.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version`,
  );
  const { number = 0, version = 'unknown' } = result.rows[0] ?? {};
  if (number >= OLDEST_SERVER * 10_000) return;
  throw new StoreFailure(
    rejected(`the server is PostgreSQL ${version}; jobledger needs ${OLDEST_SERVER} or newer`),
  );
};

// The server finds out as well: a process that is gone keeps neither a statement that waits for a lock nor what its transaction holds.
const LET_GO = `
DO $$ BEGIN
  PERFORM set_config('tcp_keepalives_idle', '15', false);
  PERFORM set_config('tcp_keepalives_interval', '5', false);
  PERFORM set_config('tcp_keepalives_count', '3', false);
  PERFORM set_config('client_connection_check_interval', '5s', false);
EXCEPTION WHEN OTHERS THEN NULL; -- not on every system
END $$`;

const openPool = ({ url, deadline }: Address, options: ConnectOptions): pg.Pool => {
  const watch = silenceWatch(deadline, () => pool.ending);
  const pool: pg.Pool = new pg.Pool({
    connectionString: url,
    application_name: options.applicationName ?? 'jobledger',
    max: options.connections ?? 10,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    idleTimeoutMillis: IDLE_MILLISECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
    // Called once for each new connection.
    verify: (client, done) => {
      watch.add(client);
      client.query(LET_GO).then(
        () => done(),
        () => done(),
      );
    },
    types,
  });
  // A connection that breaks while nothing runs on it would end the process if nobody listened. An idle one is replaced; one in
  // use is reported by its next statement.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  followPool(pool);
  return pool;
};

/** A pool that has answered once. */
export const connect = (url: string, options: ConnectOptions = {}): TaskEither<StoreError, pg.Pool> => {
  const address = addressOf(url);
  if (address === undefined) {
    const message =
      'this is not the URL of a PostgreSQL database; it looks like postgres://user:password@host:5432/database';
    return () => Promise.resolve(left(rejected(message)));
  }
  return async () => {
    const pool = openPool(address, options);
    try {
      await refuseOldServer(pool);
      return right(pool);
    } catch (error) {
      await pool.end();
      return left(explain(address, error));
    }
  };
};

/** Two: where one goes silent, there is time to ask on the other. */
const RESERVED = 2;

/**
 * A few connections beside a pool, made when they are needed: what must not wait its turn behind the statements of a whole process, such
 * as the renewal of what keeps claims alive, goes here. The pool has been opened with this URL.
 */
export const reservedPool = (url: string): pg.Pool =>
  openPool(addressOf(url) ?? { url, deadline: patience.usual, shown: '' }, { connections: RESERVED });
