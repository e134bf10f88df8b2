/** Jobs that were pruned where the file comes from, and not here: what they contributed would count twice. */
import * as E from 'fp-ts/lib/Either.js';
import { decodeEvent } from '../../domain/events.js';
import { jobStream } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import { persistently } from '../streams/persistent-append.js';
import type { FileEvent } from './ledger-file.js';
import { otherHistory, type RestoreFailure } from './restore-failure.js';

interface Ports {
  readonly store: Pick<EventStore, 'readStream' | 'readStreams'>;
}

const isThere = async (
  { store }: Ports,
  { stream, revision, event }: FileEvent,
): Promise<E.Either<RestoreFailure, boolean>> => {
  const there = await persistently(store.readStream(stream, { from: revision, limit: 1 }))();
  return E.map((events: readonly { readonly id: string }[]) => events[0]?.id === event.id)(there);
};

/** An event that was restored before has been judged then; an id that is used again since is no matter. */
export const unprunedAmong = async (
  ports: Ports,
  events: readonly FileEvent[],
): Promise<RestoreFailure | undefined> => {
  for (const next of events.filter(({ event }) => event.type === 'HistoryPruned')) {
    const decoded = decodeEvent(next.event);
    if (E.isLeft(decoded) || decoded.right.type !== 'HistoryPruned') continue;
    const known = await isThere(ports, next);
    if (E.isLeft(known)) return known.left;
    if (known.right) continue;
    const streams = decoded.right.data.jobs.map(({ id }) => jobStream(id));
    const found = await persistently(ports.store.readStreams(streams))();
    if (E.isLeft(found)) return found.left;
    const [stream] = found.right.keys();
    if (stream !== undefined)
      return otherHistory(
        `line ${next.line}: ${stream} was pruned where this file comes from, and is still in this ledger: restore into an empty one`,
      );
  }
  return undefined;
};
