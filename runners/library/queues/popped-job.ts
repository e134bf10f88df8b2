/** A job in the hands of the program that popped it, and what becomes of it. */
import * as TE from 'fp-ts/lib/TaskEither.js';
import { newId } from '../../../adapters/system.js';
import { millisecondsBetween } from '../../../domain/instant.js';
import type { JobCommand } from '../../../domain/job/commands.js';
import { decide } from '../../../domain/job/decide.js';
import { errorFacts } from '../../../domain/job/error-facts.js';
import { storableResult } from '../../../domain/job/result.js';
import type { Running } from '../../../domain/job/state.js';
import type { HandledJob } from '../../define-job.js';
import type { Ledger as Site } from '../../ledger.js';
import { operate, type OperationError } from '../../operations/operate.js';
import { defaultWorkerOptions } from '../../work.js';
import { handledJob } from '../../worker/attempt-start.js';
import { promised, type PromisedApi } from '../promised.js';
import { flag, requestFlaw, unlessFlawed, words } from '../request.js';

interface Reports {
  /** The attempt has succeeded. What JSON cannot carry of the result is replaced by a mark. */
  readonly ack: (result?: unknown) => TE.TaskEither<OperationError, void>;
  /** The attempt has failed: it is tried again as its policy says, or abandoned. `isRetryable: false` abandons it at once. */
  readonly fail: (
    error: unknown,
    options?: { readonly isRetryable?: boolean | undefined },
  ) => TE.TaskEither<OperationError, void>;
  /** Gives the job back, uncounted: it is ready again. */
  readonly release: (why: string) => TE.TaskEither<OperationError, void>;
}

/** Each report is refused once the lease has been lost: the job may be in other hands by then. */
export interface PoppedJob extends Reports {
  readonly job: HandledJob;
  readonly taskId: string;
  /** Until then the job is yours. Nothing renews it; ISO-8601 UTC. */
  readonly leaseExpiresAt: string;
  readonly promises: PromisedApi<Reports>;
}

type ReportSite = Pick<Site, 'store' | 'clock' | 'by'>;

export const poppedJob = (site: ReportSite, jobId: string, running: Running): PoppedJob => {
  const { token, leaseExpiresAt } = running.claim;
  const report = (commandOf: (now: string) => JobCommand): TE.TaskEither<OperationError, void> =>
    TE.map((): void => undefined)(
      // The holder is the one who reports: nobody else is to be told.
      operate(
        { ...site, summon: () => Promise.resolve() },
        jobId,
        (state) => decide(commandOf(site.clock.now()), state),
        {},
      ),
    );
  const attempt = (now: string) => ({
    token,
    now,
    durationMs: Math.max(0, millisecondsBetween(running.attempt.startedAt, now)),
  });
  const reports: Reports = {
    ack: (result) =>
      report((now) => ({ ...attempt(now), _tag: 'SucceedAttempt', result: storableResult(result) })),
    fail: (error, options = {}) =>
      unlessFlawed(requestFlaw('fail', options, { isRetryable: flag }), () =>
        report((now) => ({
          ...attempt(now),
          _tag: 'FailAttempt',
          error: errorFacts(error),
          isRetryable: options.isRetryable ?? true,
          random: Math.random(),
        })),
      ),
    release: (why) =>
      unlessFlawed(requestFlaw('release', { why }, { why: words }, ['why']), () =>
        report((now) => ({ _tag: 'ReleaseClaim', token, now, why })),
      ),
  };
  return {
    ...reports,
    job: handledJob(running, jobId, running.job.params),
    taskId: running.attempt.taskId,
    leaseExpiresAt,
    promises: promised({ ...reports }),
  };
};

/** A claim that was not started with it: of a job that lost its lease before. */
export const startPopped = (site: ReportSite, jobId: string, token: string) =>
  operate(
    { ...site, summon: () => Promise.resolve() },
    jobId,
    (state) =>
      decide(
        {
          _tag: 'StartAttempt',
          token,
          now: site.clock.now(),
          attemptId: newId(),
          misfireToleranceMs: defaultWorkerOptions.misfireToleranceMs,
        },
        state,
      ),
    {},
  );
