/**
 * A deadline for every statement. A connection that has one under way and carries no byte for so long is thrown away, and with it those
 * that lie idle beside it: what has silenced one has silenced all. TCP alone would wait for a quarter of an hour (field case 26).
 */
import { Socket } from 'node:net';
import type pg from 'pg';

/** Milliseconds without a byte. A page of history is folded or found within `page`; who rebuilds waits for as long as it takes. */
export const patience = { usual: 15_000, page: 60_000, rebuild: 3_600_000 } as const;

const LONGEST_TICK_MS = 500;
const GOODBYE_MS = 1_000;

interface Watched {
  readonly client: pg.Client;
  readonly usual: number;
  readonly tickMs: number;
  /** Milliseconds that it may be silent now. */
  allowed: number;
  isBusy: boolean;
  isIdle: boolean;
  bytes: number;
  silentTicks: number;
}

const watches = new WeakMap<pg.ClientBase, Watched>();

/** Another patience than the usual for what this connection does until it is given back. */
export const allowSilence = (client: pg.ClientBase, milliseconds: number): void => {
  const watched = watches.get(client);
  if (watched !== undefined) watched.allowed = milliseconds;
};

const bytesOf = ({ connection: { stream } }: pg.Client): number =>
  stream instanceof Socket ? stream.bytesRead + stream.bytesWritten : 0;

const throwAway = ({ client, allowed }: Watched): void => {
  const why = `the database did not answer within ${allowed / 1_000} s; the connection was thrown away`;
  client.connection.stream.destroy(Object.assign(new Error(why), { code: 'ETIMEDOUT' }));
};

/** Counted in looks, not by a clock: while a handler blocks this process, nobody can hear an answer. */
const isSilent = (watched: Watched): boolean => {
  const bytes = bytesOf(watched.client);
  watched.silentTicks = bytes === watched.bytes ? watched.silentTicks + 1 : 0;
  watched.bytes = bytes;
  return watched.silentTicks * watched.tickMs > (watched.isBusy ? watched.allowed : GOODBYE_MS);
};

const watched = (watch: Watched): void => {
  const { client } = watch;
  watches.set(client, watch);
  const query: pg.Client['query'] = Reflect.get(client, 'query');
  client.query = new Proxy(query, {
    apply: (target, self, values) => {
      watch.isBusy = true;
      return Reflect.apply(target, self, values);
    },
  });
  client.on('drain', () => {
    watch.isBusy = false;
    watch.silentTicks = 0;
  });
};

export interface SilenceWatch {
  readonly add: (client: pg.Client) => void;
}

/**
 * @param usual milliseconds without a byte that a statement may take
 * @param isClosing true from when on connections are only to be closed: nobody waits long for a goodbye
 */
export const silenceWatch = (usual: number, isClosing: () => boolean): SilenceWatch => {
  const tickMs = Math.min(LONGEST_TICK_MS, usual / 4);
  const all = new Set<Watched>();
  const look = (): void => {
    for (const each of all) {
      if (!(each.isBusy || isClosing()) || !isSilent(each)) continue;
      for (const other of all) if (other === each || other.isIdle) throwAway(other);
    }
    if (isClosing() && all.size === 0) clearInterval(timer);
  };
  const timer = setInterval(look, tickMs);
  timer.unref();
  return {
    add: (client) => {
      const fresh = { isBusy: false, isIdle: false, bytes: 0, silentTicks: 0 };
      const watch: Watched = { client, usual, tickMs, allowed: usual, ...fresh };
      watched(watch);
      all.add(watch);
      client.once('end', () => all.delete(watch));
    },
  };
};

/** Tells which of the watched connections lie idle, and takes back a patience that was asked for. */
export const followPool = (pool: pg.Pool): void => {
  const isIdle = (client: pg.ClientBase, idle: boolean): void => {
    const known = watches.get(client);
    if (known === undefined) return;
    known.isIdle = idle;
    known.allowed = known.usual;
  };
  pool.on('acquire', (client) => isIdle(client, false));
  pool.on('release', (_, client) => isIdle(client, true));
};
