// What can be made to go wrong in the protocol double.
import * as grpc from '@grpc/grpc-js';
import { failure } from './messages.js';

export interface Faults {
  /** Calls are taken and never answered; nothing is written. */
  silent: boolean;
  /** So many appends are written and never answered. */
  lostReplies: number;
  /** A repeated append is not known by its ids, and is a conflict. */
  forgetful: boolean;
  /** So many appends are kept, neither written nor answered, until `release` puts them at their then place in the log. */
  held: number;
  readonly waiting: (() => void)[];
  /** So many appends are written, and then the call breaks. */
  brokenReplies: number;
  /** So many calls are refused as those of a server that is going down. */
  unavailable: number;
  /** So many calls are refused for want of bandwidth or memory. */
  exhausted: number;
  /** So many appends are refused by a node that is not the leader, which names this one. */
  notLeader: { times: number; readonly host: string; readonly port: number } | undefined;
  /** Whether the cluster tells its members. */
  gossips: boolean;
}

export const noFaults = (): Faults => ({
  silent: false,
  lostReplies: 0,
  forgetful: false,
  held: 0,
  waiting: [],
  brokenReplies: 0,
  unavailable: 0,
  exhausted: 0,
  notLeader: undefined,
  gossips: true,
});

/** In the order in which they came. */
export const release = ({ waiting }: Faults): void => {
  for (const write of waiting.splice(0)) write();
};

export const goingDown = () => failure(grpc.status.UNAVAILABLE, 'Server is shutting down');

/** Why this call fails before anything is done; undefined where it does not. */
export const refusalOf = (faults: Faults): ReturnType<typeof failure> | undefined => {
  if (faults.unavailable > 0) {
    faults.unavailable -= 1;
    return goingDown();
  }
  if (faults.exhausted > 0) {
    faults.exhausted -= 1;
    return failure(grpc.status.RESOURCE_EXHAUSTED, 'Bandwidth exhausted or memory limit exceeded');
  }
  const { notLeader } = faults;
  if (notLeader === undefined || notLeader.times === 0) return undefined;
  notLeader.times -= 1;
  return failure(grpc.status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': notLeader.host,
    'leader-endpoint-port': String(notLeader.port),
  });
};
