/**
 * Children exist if and only if the success that spawned them does. The runner appends them right behind the success; where it ended in
 * between, they are appended here. This reader has a checkpoint of its own and shares the pages that `claimed_job` reads, so that jobs
 * without children pay nothing. It is a duty of the reaper's, not of the projector's: recovery has to work where nobody projects.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../domain/errors.js';
import { decodeEvent } from '../domain/events.js';
import type { JsonObject } from '../domain/json.js';
import { isUuid, jobIdOf, jobStream, type RecordedEvent } from '../domain/ledger.js';
import type { EventStore } from '../domain/ports.js';
import { nothing } from '../projections/address.js';
import type { Projection } from '../projections/projection.js';
import type { ReadingDesk } from '../projections/reading-desk.js';
import type { EnqueueAnswer } from './producer/enqueueing.js';

/** It keeps no table: what follows from its events are appends. */
export const spawned: Projection = {
  name: 'spawned',
  version: 1,
  drive: 'catch-up',
  tables: [],
  handles: ['AttemptSucceeded'],
  project: () => nothing,
};

export interface FollowUpPorts {
  readonly store: Pick<EventStore, 'readStreams'>;
  /** Of these jobs those that are in an archive. */
  readonly prunedAmong: ReadingDesk['prunedAmong'];
  /** Each child brings its own id: a second enqueue is answered with the first. */
  readonly enqueueAll: (children: readonly JsonObject[]) => Promise<readonly EnqueueAnswer[]>;
  readonly log: (line: string) => void;
}

export interface FollowUp {
  readonly look: (events: readonly RecordedEvent[]) => Promise<E.Either<StoreError, void>>;
  /** How many children had been missing so far. */
  readonly appended: () => number;
}

/** Children asked for in one trip. */
const AT_A_TIME = 200;

export const followUp = (ports: FollowUpPorts): FollowUp => {
  let appended = 0;
  return {
    appended: () => appended,
    look: async (events) => {
      const children = events.flatMap(childrenOf);
      for (let from = 0; from < children.length; from += AT_A_TIME) {
        const written = await appendMissing(ports, children.slice(from, from + AT_A_TIME));
        if (E.isLeft(written)) return written;
        appended += written.right;
      }
      return E.right(undefined);
    },
  };
};

/** Nearly all have none, and are not decoded for it. */
const childrenOf = (recorded: RecordedEvent): readonly JsonObject[] => {
  const { data } = recorded;
  if (typeof data !== 'object' || data === null || !('spawned' in data)) return [];
  const event = decodeEvent(recorded);
  return E.isRight(event) && event.right.type === 'AttemptSucceeded' ? (event.right.data.spawned ?? []) : [];
};

const idOf = ({ jobId }: JsonObject): string => (typeof jobId === 'string' ? jobId : '');

const appendMissing = async (
  { store, prunedAmong, enqueueAll, log }: FollowUpPorts,
  children: readonly JsonObject[],
): Promise<E.Either<StoreError, number>> => {
  const streams = await store.readStreams(children.map(idOf).filter(isUuid).map(jobStream))();
  if (E.isLeft(streams)) return streams;
  const known = new Set([...streams.right.keys()].map(jobIdOf));
  const unknown = children.filter((child) => !known.has(idOf(child)));
  if (unknown.length === 0) return E.right(0);
  const pruned = await prunedAmong(unknown.map(idOf).filter(isUuid))();
  if (E.isLeft(pruned)) return pruned;
  const missing = unknown.filter((child) => !pruned.right.has(idOf(child)));
  if (missing.length === 0) return E.right(0);
  let appended = 0;
  for (const answer of await enqueueAll(missing)) {
    if (E.isRight(answer)) appended += answer.right.outcome === 'enqueued' ? 1 : 0;
    else if (answer.left._tag !== 'InvalidSpecification') return E.left(answer.left);
    else log(`a spawned job cannot be enqueued: ${answer.left.path} ${answer.left.message}`);
  }
  if (appended > 0)
    log(`${appended} spawned jobs were missing behind the success of their parents, and are there now`);
  return E.right(appended);
};
