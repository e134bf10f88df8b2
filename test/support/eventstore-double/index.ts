/**
 * A protocol double of EventStoreDB: a gRPC server over real HTTP/2 that speaks the wire protocol with the client package's own messages.
 * It shows how the adapter behaves on the wire and under faults; it shows nothing of a server's durability, timing or limits.
 */
import * as grpc from '@grpc/grpc-js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { appendCall, deleteCall } from './append-call.js';
import type { Load } from './load.js';
import { noFaults, type Faults } from './faults.js';
import { eventLog, type EventLog } from './log.js';
import { failure } from './messages.js';
import { readCall } from './read-call.js';
import type { SubscriptionSettings } from './subscription-call.js';

export interface EventStoreDouble {
  readonly port: number;
  /** As a user would write it. */
  readonly url: string;
  readonly log: EventLog;
  readonly faults: Faults;
  readonly subscriptions: SubscriptionSettings;
  readonly appends: Load;
  /** Of streams, and of the log's end. */
  readonly reads: Load;
  /** Connections break, nothing listens; the history stays. */
  readonly stop: () => void;
  /** Listens again, where it did. */
  readonly start: () => Promise<void>;
  /** Ends what is subscribed without an error, as a server may that shuts down. */
  readonly endSubscriptions: () => void;
  /** What is subscribed gets nothing more, and no end. */
  readonly silenceSubscriptions: () => void;
}

export interface DoubleOptions {
  readonly firstPosition?: bigint;
  readonly port?: number;
  readonly version?: SubscriptionSettings['version'];
}

/** Kestrel's default. */
const MAX_CONCURRENT_STREAMS = 100;
const LEADER = 8;

const notPlayed = () => failure(grpc.status.UNIMPLEMENTED, 'the protocol double does not play this');

/** As a server of this version has them, the long call of appends as well, which the adapter must not make. */
const METHODS = {
  read: ['position', 'events'],
  append: [],
  batchappend: ['deadline_duration'],
  delete: [],
} as const;

const supportedMethods = (): features.SupportedMethods => {
  const methods = Object.entries(METHODS).map(([name, list]) =>
    new features.SupportedMethod()
      .setServiceName('event_store.client.streams.streams')
      .setMethodName(name)
      .setFeaturesList([...list]),
  );
  return new features.SupportedMethods().setEventStoreServerVersion('23.10.0').setMethodsList(methods);
};

const members = (port: number): gossip.ClusterInfo => {
  const leader = new gossip.MemberInfo().setIsAlive(true).setState(LEADER);
  leader.setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port));
  return new gossip.ClusterInfo().setMembersList([leader]);
};

const listen = (server: grpc.Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });

export const eventStoreDouble = async (options: DoubleOptions = {}): Promise<EventStoreDouble> => {
  const log = eventLog(options.firstPosition ?? 1_000n);
  const faults = noFaults();
  const subscriptions: SubscriptionSettings = {
    version: options.version ?? '24.10',
    calls: new Set(),
    deaf: new WeakSet(),
    opened: 0,
    sent: 0,
  };
  const appends: Load = { underWay: 0, most: 0 };
  const reads: Load = { underWay: 0, most: 0 };
  let port = options.port ?? 0;

  const newServer = (): grpc.Server => {
    const server = new grpc.Server({
      'grpc.max_concurrent_streams': MAX_CONCURRENT_STREAMS,
      'grpc.max_receive_message_length': 64 * 1024 * 1024,
    });
    server.addService(streamsGrpc.StreamsService, {
      read: readCall(log, faults, subscriptions, reads),
      append: appendCall(log, faults, appends),
      delete: deleteCall(log, faults),
      tombstone: (_: unknown, done: (error: Error) => void) => done(notPlayed()),
      batchAppend: (call: grpc.ServerDuplexStream<unknown, unknown>) => call.emit('error', notPlayed()),
    });
    server.addService(featuresGrpc.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, done: grpc.sendUnaryData<features.SupportedMethods>) =>
        faults.silent ? undefined : done(null, supportedMethods()),
    });
    server.addService(gossipGrpc.GossipService, {
      read: (_: unknown, done: grpc.sendUnaryData<gossip.ClusterInfo>) =>
        faults.gossips ? done(null, members(port)) : done(failure(grpc.status.UNAVAILABLE, 'no gossip')),
    });
    return server;
  };

  let server = newServer();
  port = await listen(server, port);
  return {
    port,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    log,
    faults,
    subscriptions,
    appends,
    reads,
    stop: () => server.forceShutdown(),
    start: async () => {
      server = newServer();
      await listen(server, port);
    },
    endSubscriptions: () => {
      for (const call of subscriptions.calls) call.end();
    },
    silenceSubscriptions: () => {
      for (const call of subscriptions.calls) subscriptions.deaf.add(call);
    },
  };
};
