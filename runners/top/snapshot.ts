/** What goes on in a ledger at one moment: queues, runners, and what they run, longest first. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import { millisecondsBetween } from '../../domain/instant.js';
import type { Json } from '../../domain/json.js';
import { claimedJob } from '../../projections/claimed-job.js';
import type { PresentRunner } from '../../projections/progress.js';
import type { QueueView } from '../../projections/reading-desk.js';
import type { Projection } from '../../projections/projection.js';
import { queueSummary } from '../../projections/queue-summary.js';
import type { Ledger } from '../ledger.js';
import { loadJobs } from '../streams/job-streams.js';

export interface RunningAttempt {
  readonly jobId: string;
  /** The job's number. */
  readonly job_id: string;
  readonly wiki: string;
  readonly type: string;
  readonly attempt: number;
  readonly runner: string;
  readonly host: string;
  readonly instance: string;
  readonly startedAt: string;
  readonly seconds: number;
  /** What the handler told last, and when; null where it has told nothing. */
  readonly progress: Json;
  readonly progressAt: string | null;
}

export interface TopSnapshot {
  /** The ledger's clock. */
  readonly at: string;
  readonly queues: readonly QueueView[];
  readonly runners: readonly PresentRunner[];
  readonly running: readonly RunningAttempt[];
}

const runningOf = async (
  ledger: Ledger,
  runners: readonly PresentRunner[],
  now: string,
  most: number,
): Promise<E.Either<StoreError, readonly RunningAttempt[]>> => {
  const { reading, store } = ledger;
  const held = await reading.heldLongest(most)();
  if (E.isLeft(held)) return held;
  const jobIds = held.right;
  const states = jobIds.length === 0 ? E.right(new Map<string, never>()) : await loadJobs(store, jobIds);
  if (E.isLeft(states)) return states;
  const attempts = jobIds.flatMap((jobId): readonly RunningAttempt[] => {
    const state = states.right.get(jobId);
    if (state === undefined || E.isLeft(state) || state.right._tag !== 'Running') return [];
    const { job, claim, attempt: run } = state.right;
    const told = progressOf(runners, claim.runner.id, jobId, run.number);
    return [
      {
        jobId,
        job_id: job.enqueued.number,
        wiki: job.enqueued.wiki,
        type: job.enqueued.type,
        attempt: run.number,
        runner: claim.runner.id,
        host: claim.runner.host,
        instance: claim.runner.instance,
        startedAt: run.startedAt,
        seconds: Math.max(0, millisecondsBetween(run.startedAt, now)) / 1_000,
        progress: told?.value ?? null,
        progressAt: told?.at ?? null,
      },
    ];
  });
  return E.right(attempts.toSorted((a, b) => b.seconds - a.seconds));
};

/** What was told under an earlier claim or attempt is not of this one. */
export const progressOf = (
  runners: readonly PresentRunner[],
  runnerId: string,
  jobId: string,
  attemptNumber: number,
) =>
  runners
    .find(({ id }) => id === runnerId)
    ?.progress.find((told) => told.jobId === jobId && told.attempt === attemptNumber);

const isBusy = ({ ready, delayed, claimed, abandoned }: QueueView): boolean =>
  ready + delayed + claimed + abandoned > 0;

export const topTables: readonly Projection[] = [queueSummary, claimedJob];

/** @param most so many running attempts are looked at */
export const topSnapshot =
  (ledger: Ledger, most: number): TaskEither<StoreError, TopSnapshot> =>
  async () => {
    const caughtUp = await ledger.catchUp(topTables)();
    if (E.isLeft(caughtUp)) return caughtUp;
    const queues = await ledger.reading.queueViews()();
    if (E.isLeft(queues)) return queues;
    const runners = await ledger.board.runners()();
    if (E.isLeft(runners)) return runners;
    const at = ledger.clock.now();
    const running = await runningOf(ledger, runners.right, at, most);
    if (E.isLeft(running)) return running;
    return E.right({ at, queues: queues.right, runners: runners.right, running: running.right });
  };

export const busyQueues = ({ queues }: TopSnapshot): readonly QueueView[] => queues.filter(isBusy);
