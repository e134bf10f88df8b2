/** All queues of one wiki: who pushes and pops need not know where a type is kept, or by which policy it runs. */
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../../domain/errors.js';
import type { JobSpecification } from '../../../domain/job/specification.js';
import type { OperationError } from '../../operations/operate.js';
import type { EnqueueOutcome } from '../../producer/enqueueing.js';
import { promised, type PromisedApi } from '../promised.js';
import { insist, jobType } from '../request.js';
import type { JobQueueError } from './errors.js';
import { jobQueue, pushTo, type JobQueue } from './job-queue.js';
import type { LazyBuffer } from './lazy-buffer.js';
import { lazilyOwned, owned, pushOwned, type Owned } from './owned.js';
import type { PoppedJob } from './popped-job.js';
import type { QueueSizes } from '../../../projections/reading-desk.js';
import type { QueueStorage } from './queue-storage.js';
import { leaseMsIn, withPolicy, type TypeConf } from './type-conf.js';

/** A job of this wiki. */
export type GroupJob = Omit<JobSpecification, 'wiki'>;

interface GroupAsking {
  /** All of the jobs, whatever their types, with an outcome each, in order; or an error that names exactly those not written. */
  readonly push: (...jobs: readonly GroupJob[]) => TE.TaskEither<JobQueueError, readonly EnqueueOutcome[]>;
  /**
   * One job of any queue, higher classes first, under the lease of its type; undefined where none is ready. Of several ledgers that one
   * is asked first whose ready jobs are of the highest class.
   */
  readonly pop: () => TE.TaskEither<OperationError, PoppedJob | undefined>;
  /** Sizes by type, of every queue that ever had a job. */
  readonly sizes: () => TE.TaskEither<StoreError, ReadonlyMap<string, QueueSizes>>;
  /** Types that have ready jobs. */
  readonly queuesWithJobs: () => TE.TaskEither<StoreError, readonly string[]>;
}

export interface JobQueueGroup extends GroupAsking {
  readonly wiki: string;
  /** Throws a TypeError where this cannot be the name of a type. */
  readonly get: (type: string) => JobQueue;
  /**
   * Buffers the jobs; they are written within a second, at the latest before the process ends. A left names jobs that will not be written:
   * these, where they are not valid or the buffer is full, or earlier ones that could not be.
   */
  readonly lazyPush: (...jobs: readonly GroupJob[]) => E.Either<JobQueueError, void>;
  readonly promises: PromisedApi<GroupAsking>;
}

export interface Storages {
  readonly conf: TypeConf;
  readonly storageOf: (type: string) => QueueStorage;
  /** Each once, that of the default first. */
  readonly all: readonly QueueStorage[];
}

/** Pushes jobs of any wiki and type, each to its own storage. Outcomes stand where the jobs stood. */
export const pushAnywhere = async ({ conf, storageOf }: Storages, jobs: readonly JobSpecification[]) => {
  const byStorage = new Map<QueueStorage, number[]>();
  for (const [index, { type }] of jobs.entries()) {
    const storage = storageOf(type);
    byStorage.set(storage, [...(byStorage.get(storage) ?? []), index]);
  }
  const outcomes: (EnqueueOutcome | undefined)[] = [];
  const parts = await Promise.all(
    [...byStorage].map(async ([storage, indexes]) => {
      const pushed = await pushTo(
        storage,
        conf.policyOf,
        indexes.flatMap((index) => jobs[index] ?? []),
      );
      indexes.forEach((index, n) => (outcomes[index] = pushed.outcomes[n]));
      return pushed.failures;
    }),
  );
  return { outcomes, failures: parts.flat() };
};

const withJobs = (sizes: ReadonlyMap<string, QueueSizes>): readonly string[] =>
  [...sizes].filter(([, { ready }]) => ready > 0).map(([type]) => type);

/** Where classes are equal, as they stood. */
const byFirstRank =
  (wiki: string, storages: readonly QueueStorage[]): TE.TaskEither<StoreError, readonly QueueStorage[]> =>
  async () => {
    if (storages.length < 2) return E.right(storages);
    const ranked: { readonly storage: QueueStorage; readonly rank: number }[] = [];
    for (const storage of storages) {
      const rank = await storage.firstRank(wiki)();
      if (E.isLeft(rank)) return rank;
      ranked.push({ storage, rank: rank.right });
    }
    // Infinity less Infinity is no number.
    const sorted = ranked.toSorted((one, other) => (one.rank === other.rank ? 0 : one.rank - other.rank));
    return E.right(sorted.map(({ storage }) => storage));
  };

export const jobQueueGroup = (
  wiki: string,
  storages: Storages,
  lazyPush: LazyBuffer['add'],
): JobQueueGroup => {
  const { conf, storageOf, all } = storages;
  const complete = (job: JobSpecification): JobSpecification => withPolicy(job, conf.policyOf(job.type));
  const own = (jobs: readonly GroupJob[]): Owned => owned({ wiki }, jobs);
  const isHere = (storage: QueueStorage, type: string): boolean => storageOf(type) === storage;

  const sizes: TE.TaskEither<StoreError, ReadonlyMap<string, QueueSizes>> = async () => {
    const found = new Map<string, QueueSizes>();
    for (const storage of all) {
      const part = await storage.sizes(wiki)();
      if (E.isLeft(part)) return part;
      for (const [type, size] of part.right) if (isHere(storage, type)) found.set(type, size);
    }
    return E.right(found);
  };

  const pop: TE.TaskEither<OperationError, PoppedJob | undefined> = async () => {
    const inOrder = await byFirstRank(wiki, all)();
    if (E.isLeft(inOrder)) return inOrder;
    for (const storage of inOrder.right) {
      const popped = await storage.pop({
        wiki,
        type: undefined,
        leaseMsOf: (type) => leaseMsIn(conf.policyOf(type)),
        ignoreDuplicates: (type) => conf.policyOf(type).ignoreDuplicates ?? false,
      })();
      if (E.isLeft(popped) || popped.right !== undefined) return popped;
    }
    return E.right(undefined);
  };

  const api: GroupAsking = {
    push:
      (...jobs) =>
      () =>
        pushOwned(own(jobs), (mine) => pushAnywhere(storages, mine.map(complete))),
    pop: () => pop,
    sizes: () => sizes,
    queuesWithJobs: () => TE.map(withJobs)(sizes),
  };
  return {
    ...api,
    wiki,
    get: (type) => {
      const flaw = jobType(type);
      insist(flaw === undefined ? undefined : `get: the type ${flaw}`);
      return jobQueue({
        wiki,
        type,
        storage: storageOf(type),
        policy: conf.policyOf(type),
        complete,
        lazyPush,
      });
    },
    lazyPush: (...jobs) => lazilyOwned(own(jobs), lazyPush),
    promises: promised({ ...api }),
  };
};
