/** The storage medium of queues: what a queue asks of the ledger that keeps its jobs. */
import * as E from 'fp-ts/lib/Either.js';
import type * as T from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { newId } from '../../../adapters/system.js';
import type { StoreError } from '../../../domain/errors.js';
import type { Runner } from '../../../domain/job/facts.js';
import type { JobSpecification } from '../../../domain/job/specification.js';
import { queueSummary } from '../../../projections/queue-summary.js';
import { defineJob } from '../../define-job.js';
import type { Ledger as Site } from '../../ledger.js';
import type { OperationError } from '../../operations/operate.js';
import type { EnqueueAnswer } from '../../producer/enqueueing.js';
import type { ReadyQueue } from '../../../projections/ports.js';
import type { QueueSizes, SizedQueue } from '../../../projections/reading-desk.js';
import { defaultWorkerOptions } from '../../work.js';
import { keyCounter } from '../../worker/key-counter.js';
import { supply, type Supply } from '../../worker/supply.js';
import type { Closing } from '../closing.js';
import { configuredClasses, type IsClassed } from './configured-classes.js';
import { poppedJob, startPopped, type PoppedJob } from './popped-job.js';

export interface PopTerms {
  readonly wiki: string;
  /** Undefined: any that has ready jobs, highest class first. */
  readonly type: string | undefined;
  readonly leaseMsOf: (type: string) => number;
  readonly ignoreDuplicates: (type: string) => boolean;
}

export interface QueueStorage {
  /** An answer each, in order. */
  readonly push: (jobs: readonly JobSpecification[]) => T.Task<readonly EnqueueAnswer[]>;
  /** One job, started; undefined where none is ready. */
  readonly pop: (terms: PopTerms) => TE.TaskEither<OperationError, PoppedJob | undefined>;
  /** Rank of the highest class that has ready jobs of this wiki; Infinity where none is ready. */
  readonly firstRank: (wiki: string) => TE.TaskEither<StoreError, number>;
  /** No job of this queue is ready. */
  readonly isEmpty: (wiki: string, type: string) => TE.TaskEither<StoreError, boolean>;
  /** Of every queue of the wiki that ever had a job, by type; of one type where it is named. */
  readonly sizes: (wiki: string, type?: string) => TE.TaskEither<StoreError, ReadonlyMap<string, QueueSizes>>;
  /** Answers whether a class is configured for a queue. */
  readonly configuredClasses: T.Task<IsClassed>;
  /** Has this called, and waits for it, before it closes. Gives back how to take that back. */
  readonly beforeClosing: Closing['before'];
}

/** What is superseded at the claim gives room for the next; more in a row than this are left for the next pop. */
const MOST_ROUNDS = 100;

interface Popped {
  readonly job: PoppedJob | undefined;
  /** No queue in scope had anything to give. */
  readonly isDry: boolean;
}

const suppliedBy = (
  site: Site,
  runner: Runner,
  { wiki, type, leaseMsOf, ignoreDuplicates }: PopTerms,
): Supply => {
  const handlerOf = (each: string) =>
    defineJob({ type: each, ignoreDuplicates: ignoreDuplicates(each), run: () => undefined });
  const keys = keyCounter();
  const ports = { desk: site.claimDesk, store: site.store, log: () => undefined };
  return supply(ports, { types: type === undefined ? undefined : [type], wikis: [wiki] }, () => ({
    runner,
    leaseMs: leaseMsOf(type ?? ''),
    leaseMsOf,
    misfireToleranceMs: defaultWorkerOptions.misfireToleranceMs,
    handlerOf,
    keys,
    lost: new AbortController().signal,
    log: () => undefined,
  }));
};

const pop = async (
  site: Site,
  runner: Runner,
  terms: PopTerms,
): Promise<E.Either<OperationError, Popped>> => {
  const jobs = suppliedBy(site, runner, terms);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const supplied = await jobs.claim(1, 1);
    if (E.isLeft(supplied)) return supplied;
    supplied.right.release();
    const [held] = supplied.right.claimed;
    if (held === undefined && supplied.right.isDry) return E.right({ job: undefined, isDry: true });
    if (held === undefined) continue;
    const started =
      held.state._tag === 'Running' ? E.right(held.state) : await startPopped(site, held.jobId, held.token)();
    if (E.isLeft(started)) return started;
    if (started.right._tag === 'Running') {
      return E.right({ job: poppedJob(site, held.jobId, started.right), isDry: false });
    }
  }
  return E.right({ job: undefined, isDry: false });
};

export const queueStorage = (site: Site, beforeClosing: Closing['before']): QueueStorage => {
  const { host, ip, pid } = site.whereabouts;
  const runner: Runner = { id: newId(), host, ip, instance: String(pid) };
  return {
    push: (jobs) => () => site.producer.enqueueAll(jobs),
    pop: (terms) => async () => {
      const first = await pop(site, runner, terms);
      if (E.isLeft(first) || !first.right.isDry) return E.map(jobOf)(first);
      // What a holder has left behind is given back here as well, for those who run no worker.
      const recovered = await site.recover(() => undefined);
      if (E.isLeft(recovered)) return recovered;
      return E.map(jobOf)(recovered.right === 0 ? first : await pop(site, runner, terms));
    },
    firstRank: (wiki) =>
      TE.map((queues: readonly ReadyQueue[]) => Math.min(...queues.map((queue) => queue.class)))(
        site.claimDesk.readyQueues({ types: undefined, wikis: [wiki] }),
      ),
    isEmpty: (wiki, type) =>
      TE.map((hasReady) => !hasReady)(site.claimDesk.hasReady({ types: [type], wikis: [wiki] })),
    sizes: (wiki, type) => async () => {
      const caughtUp = await site.catchUp([queueSummary])();
      if (E.isLeft(caughtUp)) return caughtUp;
      return E.map(byType)(await site.reading.queueSizes({ wiki, type })());
    },
    configuredClasses: configuredClasses(site),
    beforeClosing,
  };
};

const jobOf = ({ job }: Popped): PoppedJob | undefined => job;

const byType = (queues: readonly SizedQueue[]): ReadonlyMap<string, QueueSizes> =>
  new Map(
    queues.map(({ type, ready, claimed, delayed, abandoned }) => [
      type,
      { ready, claimed, delayed, abandoned },
    ]),
  );
