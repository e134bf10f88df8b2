/** Clients for a connection string: each on a connection of its own, and refused in a sentence where the string is wrong. */
import type { Credentials, EventStoreDBClient } from '@eventstore/db-client';
import { clientPackage } from './client-package.js';
import { left, right, type Either } from 'fp-ts/lib/Either.js';
import { rejected, type Rejected } from '../../domain/errors.js';

export interface Address {
  readonly newClient: () => EventStoreDBClient;
  /**
   * Given with every append, which then travels as a call of its own (ADR 10). The client sends them over TLS only.
   */
  readonly credentials: Credentials;
}

const LOOKS_LIKE = 'it looks like esdb://user:password@host:2113 or esdb+discover://host?tls=false';
const KEEP_ALIVE = /^keep[_-]?alive[_-]?interval$/i;
const SHORTEST_KEEP_ALIVE = 10_000;
/** Weeks: what a user means who turns it off. A connection of its own needs a number of its own. */
const NO_KEEP_ALIVE = 2_000_000_000;
/** What the client makes of a conflict where it is not to throw is no conflict any more. */
const THROW_ON_FAILURE = /^throw[_-]?on[_-]?append[_-]?failure$/i;

/**
 * Clients with the same options share one connection and its 100 streams, and a new client would get the dead connection of the one it
 * replaces. The interval is such an option: every client of this process has its own.
 */
let clients = 0;

const withOwnConnection = (url: string): string => {
  const [base = '', query = ''] = url.split('?', 2);
  const options = query
    .split('&')
    .filter((option) => option !== '')
    .map((option) => ({ option, name: option.split('=')[0] ?? '', value: option.split('=')[1] }));
  const asked = Number(options.find(({ name }) => KEEP_ALIVE.test(name))?.value ?? SHORTEST_KEEP_ALIVE);
  const interval = asked < 0 ? NO_KEEP_ALIVE : Math.max(asked, SHORTEST_KEEP_ALIVE);
  clients += 1;
  const others = options.filter(({ name }) => !KEEP_ALIVE.test(name) && !THROW_ON_FAILURE.test(name));
  const kept = others.map(({ option }) => option);
  return `${base}?${[...kept, `keepAliveInterval=${interval + (clients % 1_000)}`].join('&')}`;
};

const credentialsOf = (url: string): Credentials | undefined => {
  const [, username, password] = /^[^:]+:\/\/([^:@/]+):([^@/]+)@/.exec(url) ?? [];
  if (username === undefined || password === undefined) return undefined;
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
};

const isWithoutTls = (url: string): boolean => /[?&]tls=false(&|$)/i.test(url);

export const addressOf = (text: string): Either<Rejected, Address> => {
  const url = text.trim().replace(/\/+$/, '');
  try {
    if (!/^esdb(\+discover)?:\/\//.test(url)) throw new Error(LOOKS_LIKE);
    const credentials = credentialsOf(url);
    if (credentials === undefined && !isWithoutTls(url)) {
      return left(
        rejected(
          'the EventStoreDB URL has neither user and password nor tls=false: the server would refuse every append',
        ),
      );
    }
    clientPackage.EventStoreDBClient.connectionString(url);
    const newClient = () => clientPackage.EventStoreDBClient.connectionString(withOwnConnection(url));
    return right({ newClient, credentials: credentials ?? { username: '-', password: '-' } });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return left(rejected(`this is not the URL of an EventStoreDB: ${reason.split('\n')[0]}; ${LOOKS_LIKE}`));
  }
};
