// A TCP proxy that can go silent: connections stay open, and nothing passes any more. What a cut cable looks like.
import { createServer, connect, type Socket } from 'node:net';

export interface HalfOpenProxy {
  readonly port: number;
  /** What is connected now hears and says nothing any more; new connections are fine. */
  readonly freeze: () => void;
  readonly connections: () => number;
  readonly close: () => void;
}

export const halfOpenProxy = (targetPort: number): Promise<HalfOpenProxy> => {
  const sockets = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  let connections = 0;

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
    const upstream = connect(targetPort, '127.0.0.1');
    pass(client, upstream);
    pass(upstream, client);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address !== null ? address.port : 0,
        freeze: () => {
          for (const socket of sockets) frozen.add(socket);
        },
        connections: () => connections,
        close: () => {
          server.close();
          for (const socket of sockets) socket.destroy();
        },
      });
    });
  });
};
