/** One job from claim to report: decode → start → run → tear down → report (DESIGN.md §5, Execution). */
import * as E from 'fp-ts/lib/Either.js';
import type { JobCommand } from '../../domain/job/commands.js';
import { explainRejection } from '../../domain/job/errors.js';
import { errorFacts } from '../../domain/job/error-facts.js';
import { storableResult } from '../../domain/job/result.js';
import type { JsonObject } from '../../domain/json.js';
import type { Running } from '../../domain/job/state.js';
import type { EventStore } from '../../domain/ports.js';
import type { LedgerClock } from '../clock.js';
import type { HandledJob, Handler, JobContext } from '../define-job.js';
import { childrenOf } from './spawning.js';
import { ClaimTaken, type Interruption } from './interruption.js';
import { write, type HeldJob, type WriteFailure } from './holding.js';
import type { Tenure } from './tenure.js';

export interface AttemptPorts {
  readonly store: Pick<EventStore, 'readStreams'>;
  readonly clock: LedgerClock;
  readonly tenure: Tenure;
  readonly log: (line: string) => void;
  /** Appends the children of a success that is written. */
  readonly enqueueChildren: (children: readonly JsonObject[]) => Promise<void>;
  readonly misfireToleranceMs: number;
}

export type AttemptEnd = 'succeeded' | 'failed' | 'refused' | 'lost' | 'released' | 'cancelled';

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
  slotFreed();
  return settle(ports, started.job, outcome, control);
};

/** No handler is called for what was taken from this runner before. */
const endOfTaken = (reason: unknown): AttemptEnd =>
  reason instanceof ClaimTaken && reason.name === 'JobCancelled' ? 'cancelled' : 'lost';

type Outcome = { readonly durationMs: number } & (
  | {
      readonly _tag: 'Returned';
      readonly value: unknown;
      /** As they were when the handler was done: what it spawns later comes too late. */
      readonly children: readonly JsonObject[];
    }
  | { readonly _tag: 'Threw'; readonly error: unknown }
);

class ReturnedFalse extends Error {
  override readonly name = 'ReturnedFalse';
}

const execute = async (
  ports: AttemptPorts,
  { handler, handled: job, running: { attempt } }: StartedAttempt,
  control: AttemptControl,
): Promise<Outcome> => {
  const children = childrenOf(attempt.taskId);
  const context: JobContext = {
    attempt: attempt.number,
    taskId: attempt.taskId,
    get signal() {
      return control.abort.signal();
    },
    heartbeat: ports.tenure.renew,
    spawn: children.spawn,
    log: (message) => ports.log(`${job.type} ${job.id}: ${message}`),
  };
  const begun = performance.now();
  const durationMs = () => Math.round((performance.now() - begun) * 1000) / 1000;
  let value: unknown;
  try {
    value = await handler.run(job, context);
    if (value === false) throw new ReturnedFalse('the handler returned false');
  } catch (error) {
    await tearDownAfter(ports, handler, job, error);
    return { _tag: 'Threw', error, durationMs: durationMs() };
  }
  try {
    await handler.tearDown?.(job, undefined);
  } catch (error) {
    return { _tag: 'Threw', error, durationMs: durationMs() };
  }
  return { _tag: 'Returned', value, children: children.soFar(), durationMs: durationMs() };
};

/** The error that counts is the handler's; one of the tear-down behind it is told, no more. */
const tearDownAfter = async (
  ports: AttemptPorts,
  handler: Handler,
  job: HandledJob<unknown>,
  error: unknown,
): Promise<void> => {
  try {
    await handler.tearDown?.(job, error);
  } catch (second) {
    ports.log(`${job.type} ${job.id}: its tear-down failed too: ${errorFacts(second).message}`);
  }
};

/** A thrown value may be of any shape: asking it may throw as well. */
const isRetryable = (error: unknown): boolean => {
  try {
    return !(
      typeof error === 'object' &&
      error !== null &&
      'isRetryable' in error &&
      error.isRetryable === false
    );
  } catch {
    return true;
  }
};

const settle = async (
  ports: AttemptPorts,
  job: HeldJob,
  outcome: Outcome,
  control: AttemptControl,
): Promise<AttemptEnd> => {
  const { token } = job;
  const { durationMs } = outcome;
  const now = ports.clock.now();
  if (control.isInterrupted) return 'released';
  control.isReported = true;
  if (outcome._tag === 'Returned') {
    const spawned = outcome.children.length === 0 ? undefined : outcome.children;
    const result = storableResult(outcome.value);
    const written = await report(ports, job, {
      _tag: 'SucceedAttempt',
      token,
      now,
      durationMs,
      result,
      spawned,
    });
    if (E.isRight(written) && outcome.children.length > 0) await ports.enqueueChildren(outcome.children);
    return ended(ports, job, written, 'succeeded');
  }
  const error = errorFacts(outcome.error);
  const written = await report(ports, job, {
    _tag: 'FailAttempt',
    token,
    now,
    durationMs,
    error,
    isRetryable: isRetryable(outcome.error),
    random: Math.random(),
  });
  return ended(ports, job, written, 'failed');
};

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
