// A TCP proxy that can go silent (connections stay open, and nothing passes any more: what a cut cable looks like) or away.
import { createServer, connect, type Socket } from 'node:net';

export interface HalfOpenProxy {
  readonly port: number;
  /** What is connected now hears and says nothing any more; new connections are fine. */
  readonly freeze: () => void;
  readonly connections: () => number;
  /** Connections break, and nothing listens. */
  readonly stop: () => void;
  /** Listens again, where it did. */
  readonly start: () => Promise<void>;
  readonly close: () => void;
}

export const halfOpenProxy = async (targetPort: number, targetHost = '127.0.0.1'): Promise<HalfOpenProxy> => {
  const sockets = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  let [connections, port] = [0, 0];

  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (bytes) => {
      if (!frozen.has(from)) to.write(bytes);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      if (!frozen.has(from)) to.destroy();
    });
  };

  const server = createServer((client) => {
    connections += 1;
    const upstream = connect(targetPort, targetHost);
    pass(client, upstream);
    pass(upstream, client);
  });
  const start = (): Promise<void> =>
    new Promise((resolve) => {
      server.listen(port, '127.0.0.1', () => {
        const address = server.address();
        port = typeof address === 'object' && address !== null ? address.port : 0;
        resolve();
      });
    });
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  await start();
  return {
    port,
    freeze: () => {
      for (const socket of sockets) frozen.add(socket);
    },
    connections: () => connections,
    stop,
    start,
    close: stop,
  };
};
