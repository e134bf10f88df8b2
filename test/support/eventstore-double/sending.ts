// Messages to a client that may not read, or be gone.
import type * as grpc from '@grpc/grpc-js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';

export type ReadCall = grpc.ServerWritableStream<streams.ReadReq, streams.ReadResp>;

/** Waits where the client does not read; false where it has gone. */
export const send = async (call: ReadCall, message: streams.ReadResp): Promise<boolean> => {
  if (call.cancelled || call.destroyed) return false;
  if (!call.write(message)) await roomIn(call);
  return !call.cancelled && !call.destroyed;
};

const ENDINGS = ['drain', 'cancelled', 'close'] as const;

const roomIn = (call: ReadCall): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      for (const ending of ENDINGS) call.off(ending, go);
      resolve();
    };
    for (const ending of ENDINGS) call.on(ending, go);
  });
