/** Deletes a finished stream: one `$metadata` event hides all of it. Its events are in the log until the next scavenge. */
import type { EventStoreDBClient } from '@eventstore/db-client';
import { rejected } from '../../domain/errors.js';
import type { Revision, StreamName } from '../../domain/ledger.js';
import type { Appending } from './append.js';
import { StoreFailure } from './errors.js';
import { allEnded, untilKnown, type KnownFault } from './until-known.js';

export interface FinishedStream {
  readonly stream: StreamName;
  /** Revision of its last event. */
  readonly last: Revision;
}

const deleteStream = (
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
  const settle = (fault: KnownFault): void => {
    // Gone altogether, or used again since: there is nothing of ours to delete.
    if (fault._tag === 'WrongRevision' || fault._tag === 'NoStream') return;
    throw new StoreFailure(rejected(`EventStoreDB refused to delete ${stream}: ${describe(fault)}`));
  };
  return untilKnown(async () => void (await clients.use(call, deadlineMs + 500)), settle);
};

const describe = (fault: KnownFault): string => ('message' in fault ? fault.message : fault._tag);

/** What failed is tried again from the first. */
export const deleteStreams = async (
  appending: Appending,
  streams: readonly FinishedStream[],
): Promise<void> => {
  await allEnded(streams.map((stream) => appending.limited(() => deleteStream(appending, stream))));
};
