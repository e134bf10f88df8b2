// Where tests of a ledger with its history on EventStoreDB run: on the protocol double, always, and on a real server where there is one.
import type { StreamAppend } from '../../domain/ports.js';
import { appendAll } from './ledger-database.js';
import { eventStoreDouble, type EventStoreDouble } from './eventstore-double/index.js';
import { fill } from './eventstore-double/filled.js';
import { halfOpenProxy } from './half-open-proxy.js';
import { testLedger, type TestLedger } from './ledger.js';
import { newLedgerName, realEventStore, type RealEventStore } from './real-eventstore.js';

/** What can be made to happen to a server, as its clients see it. */
export interface Interruption {
  /** Connections break, and nothing listens; the history stays. */
  readonly stop: () => void;
  readonly start: () => Promise<void>;
  /** What is subscribed hears nothing more, and no end. */
  readonly deafen: () => void;
}

export interface SiteServer {
  readonly url: string;
  /** Undefined where no proxy can stand before the server: a cluster's members are known by their own addresses, TLS by its host. */
  readonly interruption: Interruption | undefined;
  /** Where other faults are to be had; undefined of a real server. */
  readonly double: EventStoreDouble | undefined;
  readonly close: () => void;
}

export interface EventStoreSite {
  readonly where: string;
  readonly server: () => Promise<SiteServer>;
}

const doubled = async (): Promise<SiteServer> => {
  const double = await eventStoreDouble();
  const { url, stop, start, silenceSubscriptions: deafen } = double;
  return { url, interruption: { stop, start, deafen }, double, close: stop };
};

const LONE_HOST = /^esdb:\/\/([^,@/?]+?)(?::(\d+))?\/?\?(?:.*&)?tls=false(?:&|$)/i;

const real = async (server: RealEventStore): Promise<SiteServer> => {
  const url = await server.url();
  const [, host, port = '2113'] = LONE_HOST.exec(url) ?? [];
  if (host === undefined) return { url, interruption: undefined, double: undefined, close: () => undefined };
  const { freeze: deafen, ...proxy } = await halfOpenProxy(Number(port), host);
  return {
    url: `esdb://127.0.0.1:${proxy.port}?${url.split('?')[1] ?? ''}`,
    interruption: { stop: proxy.stop, start: proxy.start, deafen },
    double: undefined,
    close: proxy.close,
  };
};

const realServer = await realEventStore();

export const eventStoreSites: readonly EventStoreSite[] = [
  { where: 'the protocol double of EventStoreDB', server: doubled },
  ...(realServer === undefined ? [] : [{ where: realServer.name, server: () => real(realServer) }]),
];

export interface LedgerElsewhere extends TestLedger {
  readonly server: SiteServer;
  /** Where its history is, for other programs. */
  readonly address: { readonly eventstoreUrl: string; readonly ledger: string };
  /** What it told: drops of subscriptions. */
  readonly lines: readonly string[];
  /** History that is there already, ahead of the tables: put into the double's log without a call. */
  readonly fill: (appends: Iterable<StreamAppend>) => Promise<void>;
}

const FILLED_AT_A_TIME = 200;

/** A whole ledger of a new name. */
export const ledgerOn = async (site: EventStoreSite): Promise<LedgerElsewhere> => {
  const server = await site.server();
  const lines: string[] = [];
  const address = { eventstoreUrl: server.url, ledger: newLedgerName() };
  const report = (line: string): void => void lines.push(line);
  const ledger = await testLedger('jobledger', { ...address, report });
  return {
    ...ledger,
    server,
    address,
    lines,
    fill: async (appends) => {
      if (server.double === undefined) await appendAll(ledger.store, [...appends], FILLED_AT_A_TIME);
      else fill(server.double.log, address.ledger, appends);
    },
    drop: async () => {
      await ledger.drop();
      server.close();
    },
  };
};

/** Ends the test, and says why, where the server cannot be interrupted. */
export const interruptionOf = (context: Mocha.Context, { server }: LedgerElsewhere): Interruption => {
  if (server.interruption !== undefined) return server.interruption;
  console.log(`      skipped: a server of a cluster, or with TLS, cannot be led through a proxy`);
  context.skip();
};

/** On the double, for tests of what only it lets be seen: its log, its faults. */
export type DoubledLedger = LedgerElsewhere & { readonly double: EventStoreDouble };

export const doubledLedger = async (): Promise<DoubledLedger> => {
  const double = await eventStoreDouble();
  const { url, stop: close } = double;
  const server = () => Promise.resolve({ url, interruption: undefined, double, close });
  return { ...(await ledgerOn({ where: 'the protocol double of EventStoreDB', server })), double };
};
