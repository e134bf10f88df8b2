/** The jobs of one type on one wiki, wherever they are kept. */
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../../domain/errors.js';
import type { JobSpecification } from '../../../domain/job/specification.js';
import type { OperationError } from '../../operations/operate.js';
import type { EnqueueOutcome } from '../../producer/enqueueing.js';
import { promised, type PromisedApi } from '../promised.js';
import type { JobQueueError } from './errors.js';
import type { LazyBuffer } from './lazy-buffer.js';
import { lazilyOwned, owned, pushOwned, type Owned, type Pushed } from './owned.js';
import type { PoppedJob } from './popped-job.js';
import type { QueueSizes } from '../../../projections/reading-desk.js';
import type { QueueStorage } from './queue-storage.js';
import { leaseMsIn, withClass, type TypePolicy } from './type-conf.js';

/** A job of this queue: type and wiki are the queue's. */
export type QueuedJob = Omit<JobSpecification, 'type' | 'wiki'>;

interface QueueAsking {
  /** All of the jobs, with an outcome each, in order; or an error that names exactly those that were not written. */
  readonly push: (...jobs: readonly QueuedJob[]) => TE.TaskEither<JobQueueError, readonly EnqueueOutcome[]>;
  /** One job, yours until its lease ends, or undefined where none is ready. */
  readonly pop: () => TE.TaskEither<OperationError, PoppedJob | undefined>;
  /** True where no job is ready. Some may be delayed, claimed or abandoned. */
  readonly isEmpty: () => TE.TaskEither<StoreError, boolean>;
  readonly sizes: () => TE.TaskEither<StoreError, QueueSizes>;
}

export interface JobQueue extends QueueAsking {
  readonly wiki: string;
  readonly type: string;
  /** Buffers the jobs; see `JobQueueGroup.lazyPush`. */
  readonly lazyPush: (...jobs: readonly QueuedJob[]) => E.Either<JobQueueError, void>;
  readonly promises: PromisedApi<QueueAsking>;
}

const EMPTY: QueueSizes = { ready: 0, claimed: 0, delayed: 0, abandoned: 0 };

/** An outcome each, or the jobs that were not written. */
export const pushTo = async (
  storage: QueueStorage,
  policyOf: (type: string) => TypePolicy,
  given: readonly JobSpecification[],
): Promise<Pushed> => {
  const isConfigured = given.some(({ type }) => policyOf(type).class !== undefined)
    ? await storage.configuredClasses()
    : () => false;
  const jobs = given.map((job) => withClass(job, policyOf(job.type), isConfigured));
  const answers = await storage.push(jobs)();
  return {
    outcomes: answers.map((answer) => (E.isLeft(answer) ? undefined : answer.right)),
    failures: answers.flatMap((answer, n) => {
      const specification = jobs[n];
      return E.isLeft(answer) && specification !== undefined ? [{ specification, error: answer.left }] : [];
    }),
  };
};

export interface QueueParts {
  readonly wiki: string;
  readonly type: string;
  readonly storage: QueueStorage;
  readonly policy: TypePolicy;
  /** The job with what its type's policy adds. */
  readonly complete: (job: JobSpecification) => JobSpecification;
  readonly lazyPush: LazyBuffer['add'];
}

export const jobQueue = ({ wiki, type, storage, policy, complete, lazyPush }: QueueParts): JobQueue => {
  const own = (jobs: readonly QueuedJob[]): Owned => owned({ wiki, type }, jobs);
  const api: QueueAsking = {
    push:
      (...jobs) =>
      () =>
        pushOwned(own(jobs), (mine) => pushTo(storage, () => policy, mine.map(complete))),
    pop: () =>
      storage.pop({
        wiki,
        type,
        leaseMsOf: () => leaseMsIn(policy),
        ignoreDuplicates: () => policy.ignoreDuplicates ?? false,
      }),
    isEmpty: () => storage.isEmpty(wiki, type),
    sizes: () =>
      TE.map((sizes: ReadonlyMap<string, QueueSizes>) => sizes.get(type) ?? EMPTY)(storage.sizes(wiki, type)),
  };
  return {
    ...api,
    wiki,
    type,
    lazyPush: (...jobs) => lazilyOwned(own(jobs), lazyPush),
    promises: promised({ ...api }),
  };
};
