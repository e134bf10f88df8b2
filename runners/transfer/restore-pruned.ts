/**
 * Jobs that were pruned, in one of the two histories and not in the other: what they contributed to the counts is kept by the event that
 * tells of the pruning, and would count twice.
 */
import * as E from 'fp-ts/lib/Either.js';
import { decodeEvent } from '../../domain/events.js';
import type { StoreError } from '../../domain/errors.js';
import { jobIdOf, jobStream, type Revision } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import type { ReadingDesk } from '../../projections/reading-desk.js';
import { persistently } from '../streams/persistent-append.js';
import type { FileEvent } from './ledger-file.js';
import type { Share } from './restore-batches.js';
import { otherHistory, type RestoreFailure } from './restore-failure.js';

interface Ports {
  readonly store: Pick<EventStore, 'readStream' | 'readStreams'>;
  readonly prunedAmong: ReadingDesk['prunedAmong'];
  /** By job: the revision of the last event so far in the file that tells of its pruning. */
  readonly prunedInFile: Map<string, Revision>;
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
    const { jobs } = decoded.right.data;
    for (const { id } of jobs) ports.prunedInFile.set(id, next.revision);
    const known = await isThere(ports, next);
    if (E.isLeft(known)) return known.left;
    if (known.right) continue;
    const found = await persistently(ports.store.readStreams(jobs.map(({ id }) => jobStream(id))))();
    if (E.isLeft(found)) return found.left;
    const [stream] = found.right.keys();
    if (stream !== undefined)
      return otherHistory(
        `line ${next.line}: ${stream} was pruned where this file comes from, and is still in this ledger: restore into an empty one`,
      );
  }
  return undefined;
};

/** Of a job that this ledger has pruned, and the file does not know to be: all of it. A job that had its id again later is another. */
export const prunedHere = async (
  { prunedAmong, prunedInFile }: Ports,
  shares: readonly Share[],
): Promise<E.Either<StoreError, ReadonlySet<Share>>> => {
  const ids = shares.flatMap(({ stream }) => jobIdOf(stream) ?? []);
  const pruned = await persistently(prunedAmong(ids))();
  return E.map((known: ReadonlyMap<string, Revision>) => {
    const isPruned = ({ stream }: Share): boolean => {
      const id = jobIdOf(stream) ?? '';
      const entry = known.get(id);
      return entry !== undefined && entry > (prunedInFile.get(id) ?? -1n);
    };
    return new Set(shares.filter(isPruned));
  })(pruned);
};
