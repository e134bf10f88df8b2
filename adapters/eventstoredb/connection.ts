/** Clients for a connection string: each on a connection of its own, and refused in a sentence where the string is wrong. */
import { EventStoreDBClient, type Credentials } from '@eventstore/db-client';
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

/**
 * Clients with the same options share one connection and its 100 streams, and a new client would get the dead connection of the one it
 * replaces. The interval is such an option: every client of this process has its own.
 */
let clients = 0;

const withOwnConnection = (url: string): string => {
  const [base = '', query = ''] = url.split('?', 2);
  const options = query.split('&').filter((option) => option !== '');
  const given = options.find((option) => KEEP_ALIVE.test(option.split('=')[0] ?? ''))?.split('=')[1];
  const asked = Number(given ?? SHORTEST_KEEP_ALIVE);
  if (asked < 0) return url;
  clients += 1;
  const others = options.filter((option) => !KEEP_ALIVE.test(option.split('=')[0] ?? ''));
  return `${base}?${[...others, `keepAliveInterval=${Math.max(asked, SHORTEST_KEEP_ALIVE) + (clients % 1_000)}`].join('&')}`;
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
    EventStoreDBClient.connectionString(url);
    const newClient = () => EventStoreDBClient.connectionString(withOwnConnection(url));
    return right({ newClient, credentials: credentials ?? { username: '-', password: '-' } });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return left(rejected(`this is not the URL of an EventStoreDB: ${reason.split('\n')[0]}; ${LOOKS_LIKE}`));
  }
};
