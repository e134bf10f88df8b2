/** Finished jobs whose last event is old enough, in the order in which they finished, with their whole streams: some hundreds at a time. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import * as t from 'io-ts';
import type { StoreError } from '../../domain/errors.js';
import type { EventType } from '../../domain/events.js';
import { foldJob } from '../../domain/job/fold.js';
import { jobIdOf, jobStream, START, type Position, type RecordedEvent } from '../../domain/ledger.js';
import { isFinished, type PrunedJob } from '../../domain/pruning.js';
import type { EventStore } from '../../domain/ports.js';

export interface FinishedJob {
  readonly job: PrunedJob;
  readonly events: readonly RecordedEvent[];
}

export interface Sought {
  /** Jobs whose last event was recorded before this. ISO-8601 UTC. */
  readonly before: string;
  readonly wiki?: string | undefined;
  readonly type?: string | undefined;
  /** At most so many jobs; default: all. */
  readonly limit?: number | undefined;
}

export interface FinishedPorts {
  readonly store: Pick<EventStore, 'readAll' | 'readStreams'>;
  /** What stands behind it may not have reached every table. */
  readonly upTo: Position;
  /** Of these jobs those that have to stay. */
  readonly staying: (jobIds: readonly string[]) => TaskEither<StoreError, ReadonlySet<string>>;
}

/** A transaction of some hundred streams takes some tens of milliseconds. */
const MOST_JOBS = 300;
const MOST_BYTES = 8 * 1024 * 1024;
const PAGE = 1_000;
const STREAMS_AT_A_TIME = 100;

const ENDINGS: readonly EventType[] = ['AttemptSucceeded', 'JobSuperseded'];

const OfQueue = t.type({ wiki: t.string, type: t.string });

const isSought = ({ data, recordedAt }: RecordedEvent, { before, wiki, type }: Sought): boolean =>
  recordedAt < before &&
  ((wiki === undefined && type === undefined) ||
    (OfQueue.is(data) &&
      (wiki === undefined || data.wiki === wiki) &&
      (type === undefined || data.type === type)));

const finishedJob = (
  events: readonly RecordedEvent[],
  upTo: Position,
  { before }: Sought,
): FinishedJob | undefined => {
  const state = foldJob(events);
  const last = events.at(-1);
  const id = jobIdOf(last?.stream ?? '');
  if (last === undefined || id === undefined || last.recordedAt >= before || last.position > upTo)
    return undefined;
  if (E.isLeft(state) || state.right._tag === 'None' || !isFinished(state.right)) return undefined;
  const { number } = state.right.job.enqueued;
  return { job: { id, number, revision: last.revision.toString() }, events };
};

const finishedAmong = async (
  { store, staying, upTo }: FinishedPorts,
  jobIds: readonly string[],
  sought: Sought,
): Promise<E.Either<StoreError, readonly FinishedJob[]>> => {
  const streams = await store.readStreams(jobIds.map(jobStream))();
  if (E.isLeft(streams)) return streams;
  const found = jobIds.flatMap((id) => {
    const job = finishedJob(streams.right.get(jobStream(id)) ?? [], upTo, sought);
    return job === undefined ? [] : [job];
  });
  const stay = await staying(found.map(({ job }) => job.id))();
  return E.map((ids: ReadonlySet<string>) => found.filter(({ job }) => !ids.has(job.id)))(stay);
};

interface Batch {
  readonly jobs: FinishedJob[];
  bytes: number;
}

const isFull = ({ jobs, bytes }: Batch): boolean => jobs.length >= MOST_JOBS || bytes >= MOST_BYTES;

const add = (batch: Batch, job: FinishedJob): void => {
  batch.jobs.push(job);
  for (const { data } of job.events) batch.bytes += JSON.stringify(data).length;
};

type Found = E.Either<StoreError, readonly FinishedJob[]>;

/** Jobs of each page of endings, by their ids; ends where a whole page is too young, for so is all behind it. */
async function* endedJobs(
  { store, upTo }: FinishedPorts,
  sought: Sought,
): AsyncGenerator<E.Either<StoreError, readonly string[]>> {
  for (let after = START; after < upTo;) {
    const page = await store.readAll({ after, upTo, types: ENDINGS, limit: PAGE })();
    if (E.isLeft(page)) {
      yield page;
      return;
    }
    const { events, upTo: reached } = page.right;
    yield E.right(
      events.filter((event) => isSought(event, sought)).flatMap(({ stream }) => jobIdOf(stream) ?? []),
    );
    if (events.length > 0 && events.every(({ recordedAt }) => recordedAt >= sought.before)) return;
    after = reached;
  }
}

export async function* finishedJobs(ports: FinishedPorts, sought: Sought): AsyncGenerator<Found> {
  let left = sought.limit ?? Infinity;
  let batch: Batch = { jobs: [], bytes: 0 };
  for await (const ended of endedJobs(ports, sought)) {
    if (E.isLeft(ended)) {
      yield ended;
      return;
    }
    const ids = [...new Set(ended.right)];
    for (let from = 0; from < ids.length && left > 0; from += STREAMS_AT_A_TIME) {
      const found = await finishedAmong(ports, ids.slice(from, from + STREAMS_AT_A_TIME), sought);
      if (E.isLeft(found)) {
        yield found;
        return;
      }
      for (const job of found.right.slice(0, left)) {
        left -= 1;
        add(batch, job);
        if (!isFull(batch)) continue;
        yield E.right(batch.jobs);
        batch = { jobs: [], bytes: 0 };
      }
    }
    if (left <= 0) break;
  }
  if (batch.jobs.length > 0) yield E.right(batch.jobs);
}
