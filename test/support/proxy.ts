// A TCP proxy before a PostgreSQL: breaks connections, lets them go silent, leads to another server, counts what is asked.
//
//   const proxy = await proxyTo(database.url);
//   … connect to proxy.url …
//   proxy.silence();          // half-open: every byte is swallowed, and nobody hears of an end
//   await proxy.close();
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  /** The database's URL, by way of the proxy. */
  readonly url: string;
  /** Breaks what stands, and refuses what comes until `restore`. */
  readonly cut: () => void;
  /** Swallows what the connections that stand say from now on, or those chosen by what they have said so far; for good. */
  readonly silence: (which?: (said: string) => boolean) => void;
  /** The same for those that come, until `restore`. */
  readonly silenceNewcomers: () => void;
  readonly restore: () => void;
  /** Where those that come from now on are led. */
  readonly leadTo: (url: string) => void;
  /** Statements asked for by all connections so far. */
  readonly statements: () => number;
  readonly close: () => Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  isSilent: boolean;
  said: string;
}

/** A simple query, or the execution of a prepared one. */
const STATEMENTS = new Set(['Q', 'E'].map((letter) => letter.charCodeAt(0)));

/** Counts the statements in what a client sends, however it is cut into pieces. */
const statementCounter = (): ((piece: Buffer) => number) => {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    let count = 0;
    for (;;) {
      // The first message has no letter before its length.
      const head = isStarted ? 1 : 0;
      if (rest.length < head + 4) return count;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return count;
      if (isStarted && STATEMENTS.has(rest[0] ?? 0)) count += 1;
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
};

export const proxyTo = async (databaseUrl: string): Promise<Proxy> => {
  const links = new Set<Link>();
  let target = new URL(databaseUrl);
  let [isCut, isMute, statements] = [false, false, 0];

  const join = (client: Socket): void => {
    if (isCut) {
      client.destroy();
      return;
    }
    const server = connect(Number(target.port || 5432), target.hostname);
    const link: Link = { client, server, isSilent: isMute, said: '' };
    const count = statementCounter();
    links.add(link);
    client.on('data', (piece) => {
      if (link.isSilent) return;
      statements += count(piece);
      link.said += piece.toString('latin1');
      server.write(piece);
    });
    server.on('data', (piece) => {
      if (!link.isSilent) client.write(piece);
    });
    const part = (other: Socket) => (): void => {
      if (!link.isSilent || other === server) other.destroy();
      if (!link.isSilent) links.delete(link);
    };
    client.on('error', () => undefined).on('close', part(server));
    server.on('error', () => undefined).on('close', part(client));
  };

  const listener = createServer({ allowHalfOpen: true }, join).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);
  const breakAll = (): void => {
    for (const { client, server } of links) for (const each of [client, server]) each.destroy();
    links.clear();
  };
  return {
    url: url.href,
    cut: () => {
      isCut = true;
      breakAll();
    },
    silence: (which = () => true) => {
      for (const link of links) link.isSilent ||= which(link.said);
    },
    silenceNewcomers: () => {
      isMute = true;
    },
    restore: () => {
      [isCut, isMute] = [false, false];
    },
    leadTo: (other) => {
      target = new URL(other);
    },
    statements: () => statements,
    close: async () => {
      breakAll();
      listener.close();
      await once(listener, 'close');
    },
  };
};
