/** Deletes a finished stream: one `$metadata` event hides all of it. Its events are in the log until the next scavenge. */
import type { EventStoreDBClient } from '@eventstore/db-client';
import { setTimeout as delay } from 'node:timers/promises';
import { rejected, unavailable } from '../../domain/errors.js';
import type { Revision, StreamName } from '../../domain/ledger.js';
import type { Appending } from './append.js';
import { faultOf, StoreFailure } from './errors.js';

export interface FinishedStream {
  readonly stream: StreamName;
  /** Revision of its last event. */
  readonly last: Revision;
}

/** Between the tries of a deletion whose outcome is unknown; it may be done twice. */
const PAUSES_MS = [50, 200, 500, 1_000, 2_000];

const deleteStream = async (
  { clients, names, address, deadlineMs }: Appending,
  { stream, last }: FinishedStream,
): Promise<void> => {
  const call = (client: EventStoreDBClient) =>
    client.deleteStream(names.onServer(stream), {
      expectedRevision: last,
      credentials: address.credentials,
      requiresLeader: true,
      deadline: deadlineMs,
    });
  for (let tries = 0; ; tries += 1) {
    try {
      await clients.use(call, deadlineMs + 500);
      return;
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const fault = faultOf(error);
      // Gone altogether, or used again since: there is nothing of ours to delete.
      if (fault._tag === 'WrongRevision' || fault._tag === 'NoStream') return;
      if (fault._tag !== 'Unknown')
        throw new StoreFailure(rejected(`EventStoreDB refused to delete ${stream}: ${describe(fault)}`));
      const pause = PAUSES_MS[tries];
      if (pause === undefined) throw new StoreFailure(unavailable(`EventStoreDB: ${fault.message}`));
      await delay(pause);
    }
  }
};

const describe = (fault: ReturnType<typeof faultOf>): string =>
  'message' in fault ? fault.message : fault._tag;

/** None is still on its way when it answers: what failed is tried again from the first. */
export const deleteStreams = async (
  appending: Appending,
  streams: readonly FinishedStream[],
): Promise<void> => {
  const deleted = await Promise.allSettled(
    streams.map((stream) => appending.limited(() => deleteStream(appending, stream))),
  );
  for (const outcome of deleted) if (outcome.status === 'rejected') throw outcome.reason;
};
