/** What can be asked of a ledger: by programs, and by handlers through their context. Every member gives a `TaskEither`. */
import * as E from 'fp-ts/lib/Either.js';
import type * as T from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import type { JobSpecification } from '../../domain/job/specification.js';
import type { ExistingJob } from '../../domain/job/state.js';
import { jobStream, type RecordedEvent } from '../../domain/ledger.js';
import type { Ledger as Site } from '../ledger.js';
import {
  cancelJob,
  releaseJob,
  retryJob,
  type OperationError,
  type OperationOptions,
} from '../operations/operate.js';
import { retryAbandoned, type AbandonedJobs, type Retried } from '../operations/retry-abandoned.js';
import type { EnqueueAnswer, EnqueueError, EnqueueOutcome } from '../producer/enqueueing.js';
import { loadJob } from '../streams/job-streams.js';
import { queueApi, type QueueApi } from '../queues/api.js';
import { prunedOf } from '../reading/pruned.js';
import type { JobNotFound, TaggedError } from './error-sentences.js';
import { answeringEach } from './answering-each.js';
import { promised, type PromisedApi } from './promised.js';
import { aboutJob, count, requestFlaw, text, unlessFlawed, words } from './request.js';

export interface Asking extends QueueApi {
  /** One job. Concurrent calls share their trips to the database. */
  readonly enqueue: (specification: JobSpecification) => TE.TaskEither<EnqueueError, EnqueueOutcome>;
  /** The job as its history tells. */
  readonly job: (jobId: string) => TE.TaskEither<StoreError | JobNotFound, ExistingJob>;
  /** Every event of the job, in order. */
  readonly history: (jobId: string) => TE.TaskEither<StoreError | JobNotFound, readonly RecordedEvent[]>;
  /** Brings the catch-up tables to the end of history as it is now. */
  readonly project: () => TE.TaskEither<StoreError, void>;
  /** Makes a job ready that is abandoned or cancelled, or waits for a later time; its attempts are counted from 0. */
  readonly retry: (jobId: string, options?: OperationOptions) => TE.TaskEither<OperationError, ExistingJob>;
  /** The same with all abandoned jobs of a queue, a type or a wiki, lowest number first. */
  readonly retryAbandoned: (which: AbandonedJobs) => TE.TaskEither<StoreError, Retried>;
  /** Ends a job that waits or runs; a running handler's signal fires, wherever it runs. */
  readonly cancel: (jobId: string, options?: OperationOptions) => TE.TaskEither<OperationError, ExistingJob>;
  /** Gives a claim back, uncounted; a running handler's signal fires, and another runner takes the job. */
  readonly release: (jobId: string, options?: OperationOptions) => TE.TaskEither<OperationError, ExistingJob>;
}

/** What handlers are given as `context.ledger`. */
export interface HandlersLedger extends Asking {
  /** Many jobs: an answer each, in their order. Bad ones cost the good ones nothing. */
  readonly enqueueAll: (specifications: readonly JobSpecification[]) => T.Task<readonly EnqueueAnswer[]>;
  /** The same with promises; what would be a left is thrown as a `LedgerError`. */
  readonly promises: PromisedApi<Asking>;
}

const DECISION = { reason: words, by: words };
const ABANDONED = { wiki: text, type: text, limit: count, ...DECISION };

type Operation = (jobId: string, options?: OperationOptions) => TE.TaskEither<OperationError, ExistingJob>;

const operation =
  (name: string, perform: (site: Site, ...args: Parameters<Operation>) => ReturnType<Operation>) =>
  (site: Site): Operation =>
  (jobId, options = {}) =>
    unlessFlawed<OperationError, ExistingJob>(requestFlaw(name, options, DECISION), () =>
      aboutJob(name, jobId, (id) => orPruned(site, id, perform(site, id, options))),
    );

const operations = {
  retry: operation('retry', retryJob),
  cancel: operation('cancel', cancelJob),
  release: operation('release', releaseJob),
};

/** A job that is not here may have been once. */
const orPruned =
  <Asked extends TaggedError, A>(site: Site, jobId: string, ask: TE.TaskEither<Asked, A>) =>
  async (): Promise<E.Either<Asked | StoreError | JobNotFound, A>> => {
    const answer = await ask();
    if (E.isRight(answer) || answer.left._tag !== 'JobNotFound') return answer;
    const found = await prunedOf(site, { jobId });
    if (E.isLeft(found)) return found;
    const { at, file } = found.right ?? {};
    return at === undefined || file === undefined
      ? answer
      : E.left({ _tag: 'JobNotFound', jobId, pruned: { at, file } });
  };

const existingJob =
  ({ store }: Site, jobId: string): TE.TaskEither<StoreError | JobNotFound, ExistingJob> =>
  async () => {
    const state = await loadJob(store, jobId);
    if (E.isLeft(state)) return state;
    return state.right._tag === 'None' ? E.left({ _tag: 'JobNotFound', jobId }) : E.right(state.right);
  };

const fullHistory =
  ({ store }: Site, jobId: string): TE.TaskEither<StoreError | JobNotFound, readonly RecordedEvent[]> =>
  async () => {
    const events = await store.readStream(jobStream(jobId))();
    if (E.isLeft(events)) return events;
    return events.right.length === 0 ? E.left({ _tag: 'JobNotFound', jobId }) : events;
  };

const asking = (site: Site): Asking => ({
  ...queueApi(site),
  enqueue: (specification) => () => site.producer.enqueue(specification),
  job: (jobId) => aboutJob('job', jobId, (id) => orPruned(site, id, existingJob(site, id))),
  history: (jobId) => aboutJob('history', jobId, (id) => orPruned(site, id, fullHistory(site, id))),
  project: () => TE.map(() => undefined)(site.catchUp(site.projected)),
  retry: operations.retry(site),
  retryAbandoned: (which) =>
    unlessFlawed(requestFlaw('retryAbandoned', which, ABANDONED), () => retryAbandoned(site, which)),
  cancel: operations.cancel(site),
  release: operations.release(site),
});

export const handlersLedger = (site: Site): HandlersLedger => {
  const api = asking(site);
  return {
    ...api,
    enqueueAll: answeringEach((specifications) => site.producer.enqueueAll(specifications)),
    promises: promised(api),
  };
};
