/** One job from claim to report: decode → start → run → tear down → report (DESIGN.md §5, Execution). */
import * as E from 'fp-ts/lib/Either.js';
import { addMilliseconds } from '../../domain/instant.js';
import type { JobCommand } from '../../domain/job/commands.js';
import { isLastAttempt } from '../../domain/job/decide-attempt.js';
import { explainRejection } from '../../domain/job/errors.js';
import { errorFacts } from '../../domain/job/error-facts.js';
import { storableResult } from '../../domain/job/result.js';
import type { JsonObject } from '../../domain/json.js';
import type { Running } from '../../domain/job/state.js';
import type { EventStore } from '../../domain/ports.js';
import type { LedgerClock } from '../clock.js';
import type { HandledJob, Handler } from '../define-job.js';
import { isRetryable } from '../handler-outcome.js';
import { ownDelay } from '../handler-retry.js';
import type { HandlersLedger } from '../library/asking.js';
import { execute, type Outcome } from './execution.js';
import { ClaimTaken, type Interruption } from './interruption.js';
import { write, type HeldJob, type WriteFailure } from './holding.js';
import type { ProgressBook } from './progress-book.js';
import type { Tenure } from './tenure.js';

export interface AttemptPorts {
  readonly store: Pick<EventStore, 'readStreams'>;
  readonly clock: LedgerClock;
  readonly tenure: Tenure;
  readonly log: (line: string) => void;
  /** Appends the children of a success that is written. */
  readonly enqueueChildren: (children: readonly JsonObject[]) => Promise<void>;
  readonly misfireToleranceMs: number;
  readonly handlersLedger: HandlersLedger;
  readonly progress: ProgressBook;
}

export type AttemptEnd = 'succeeded' | 'failed' | 'refused' | 'lost' | 'released' | 'cancelled' | 'snoozed';

export interface AttemptControl {
  /** Fires when the handler is to stop: the lease is lost, or the grace time is over. */
  readonly abort: Interruption;
  /** True where the runner's stop interrupted the attempt: it is given back, and has no end of its own. */
  isInterrupted: boolean;
  /** True once its end is being written. */
  isReported: boolean;
}

/** An attempt whose start is durable; its handler has not been called. */
export interface StartedAttempt {
  readonly job: HeldJob;
  readonly handler: Handler;
  readonly handled: HandledJob<unknown>;
  readonly running: Running;
}

/** Run, tear down, report. `slotFreed` is called when the handler is done; the report is still to be written then. */
export const runAttempt = async (
  ports: AttemptPorts,
  started: StartedAttempt,
  control: AttemptControl,
  slotFreed: () => void,
): Promise<AttemptEnd> => {
  if (control.abort.hasFired()) {
    slotFreed();
    return endOfTaken(control.abort.reason());
  }
  const outcome = await execute(ports, started, control);
  ports.progress.forget(started.job.jobId);
  slotFreed();
  // Awaited here: a promise given back from an async function costs three turns, not one.
  return await settle(ports, started, outcome, control);
};

/** No handler is called for what was taken from this runner before. */
const endOfTaken = (reason: unknown): AttemptEnd =>
  reason instanceof ClaimTaken && reason.name === 'JobCancelled' ? 'cancelled' : 'lost';

const settle = async (
  ports: AttemptPorts,
  started: StartedAttempt,
  outcome: Outcome,
  control: AttemptControl,
): Promise<AttemptEnd> => {
  if (control.isInterrupted) return 'released';
  control.isReported = true;
  const { job } = started;
  const written = await report(ports, job, commandOf(ports, started, outcome));
  if (E.isRight(written) && outcome._tag === 'Returned' && outcome.children.length > 0)
    await ports.enqueueChildren(outcome.children);
  return ended(ports, job, written, ENDS[outcome._tag]);
};

const ENDS = { Returned: 'succeeded', Threw: 'failed', PutOff: 'snoozed' } as const;

const commandOf = (ports: AttemptPorts, started: StartedAttempt, outcome: Outcome): JobCommand => {
  const { token } = started.job;
  const now = ports.clock.now();
  const { durationMs } = outcome;
  switch (outcome._tag) {
    case 'Returned': {
      const spawned = outcome.children.length === 0 ? undefined : outcome.children;
      const result = storableResult(outcome.value);
      return { _tag: 'SucceedAttempt', token, now, durationMs, result, spawned };
    }
    case 'PutOff': {
      const notBefore = addMilliseconds(now, outcome.by.milliseconds);
      return { _tag: 'ReleaseClaim', token, now, why: outcome.by.why, notBefore };
    }
    case 'Threw':
      return {
        _tag: 'FailAttempt',
        token,
        now,
        durationMs,
        error: errorFacts(outcome.error),
        isRetryable: isRetryable(outcome.error),
        random: Math.random(),
        delayMs: delayOf(ports, started, outcome.error),
      };
  }
};

/** The handler's own back-off, unless the producer said one for this job, or nothing comes behind it. */
const delayOf = (
  { log }: AttemptPorts,
  { handler: { backoffOf }, handled, running }: StartedAttempt,
  error: unknown,
): number | undefined =>
  isLastAttempt(running) || !isRetryable(error) || running.job.enqueued.ownRetry?.includes('backoff') === true
    ? undefined
    : ownDelay(backoffOf, { attempt: handled.attempt, error }, (line) =>
        log(`${handled.type} ${handled.id}: ${line}`),
      );

export const report = (ports: AttemptPorts, job: HeldJob, command: JobCommand) =>
  write(ports.store, ports.tenure, job, command, ports.clock.now());

const cancelled = (ports: AttemptPorts, { jobId }: HeldJob, reason: string): AttemptEnd => {
  ports.log(`job ${jobId} was cancelled in the hands of this runner, whose report is not taken: ${reason}`);
  return 'cancelled';
};

/** A report that can never be written must not leave its claim behind: the runner gives its id up, and the lease runs out. */
export const ended = (
  ports: AttemptPorts,
  job: HeldJob,
  written: E.Either<WriteFailure, unknown>,
  end: AttemptEnd,
): AttemptEnd => {
  if (E.isRight(written)) return end;
  if (job.state._tag === 'Cancelled') return cancelled(ports, job, job.state.reason);
  const why = written.left._tag === 'NotWritten' ? written.left.message : explainRejection(written.left);
  ports.log(`job ${job.jobId}: its report was refused: ${why}`);
  if (written.left._tag === 'NotWritten') ports.tenure.lose(`a report could not be written: ${why}`);
  return 'lost';
};
