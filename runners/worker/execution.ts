/** The handler's part of an attempt: called with its context, torn down, and what came of it. Nothing is written here. */
import { errorFacts } from '../../domain/job/error-facts.js';
import type { JsonObject } from '../../domain/json.js';
import type { HandledJob, Handler, JobContext } from '../define-job.js';
import { FailedWithoutError, putOffBy, ReturnedFalse, type PutOff } from '../handler-outcome.js';
import type { AttemptControl, AttemptPorts, StartedAttempt } from './attempt.js';
import { following } from './culprits.js';
import type { Interruption } from './interruption.js';
import { childrenOf } from './spawning.js';
import { withinLimit } from './time-limit.js';

export type Outcome = { readonly durationMs: number } & (
  | {
      readonly _tag: 'Returned';
      readonly value: unknown;
      /** As they were when the handler was done: what it spawns later comes too late. */
      readonly children: readonly JsonObject[];
    }
  | { readonly _tag: 'Threw'; readonly error: unknown }
  | { readonly _tag: 'PutOff'; readonly by: PutOff }
);

const INTERRUPTION = Symbol('interruption');

type Context = Omit<JobContext, 'signal'> & { readonly [INTERRUPTION]: Interruption };

/** Asked for, a signal is made. One accessor for all: with a closure of its own, every context would be of a shape of its own. */
const SIGNAL: PropertyDescriptor & ThisType<Context> = {
  get() {
    return this[INTERRUPTION].signal();
  },
  enumerable: true,
};

const withSignal = (context: Context): JobContext =>
  Object.defineProperty(context, 'signal', SIGNAL) as Context & JobContext;

const contextOf = (
  ports: AttemptPorts,
  { handled: job, running: { attempt } }: StartedAttempt,
  control: AttemptControl,
  spawn: JobContext['spawn'],
): JobContext => {
  const context: Context = {
    attempt: attempt.number,
    taskId: attempt.taskId,
    heartbeat: ports.tenure.renew,
    spawn: (specification) => {
      // Its success carries them: what came now would be dropped.
      if (control.isReported || control.isInterrupted) throw new Error('spawn: the attempt is over');
      spawn(specification);
    },
    log: (message) => ports.log(`${job.type} ${job.id}: ${message}`),
    ledger: ports.handlersLedger,
    progress: (value) => {
      if (!control.isReported && !control.isInterrupted) ports.progress.tell(job.id, attempt.number, value);
    },
    [INTERRUPTION]: control.abort,
  };
  return withSignal(context);
};

export const execute = async (
  ports: AttemptPorts,
  started: StartedAttempt,
  control: AttemptControl,
): Promise<Outcome> => {
  const { handler, handled: job, running } = started;
  const children = childrenOf(running.attempt.taskId);
  const context = contextOf(ports, started, control, children.spawn);
  const begun = performance.now();
  const durationMs = () => Math.round((performance.now() - begun) * 1000) / 1000;
  const run = () => handler.run(job, context);
  const call = running.job.losses > 0 ? () => following(job.id, run) : run;
  let value: unknown;
  try {
    value =
      handler.timeoutMs === undefined
        ? await call()
        : await withinLimit(handler.timeoutMs, control.abort, call);
    if (value === false) throw new ReturnedFalse('the handler returned false');
  } catch (error) {
    await tearDownAfter(ports, handler, job, error ?? new FailedWithoutError(error));
    const by = putOffBy(error);
    return by === undefined
      ? { _tag: 'Threw', error, durationMs: durationMs() }
      : { _tag: 'PutOff', by, durationMs: durationMs() };
  }
  const by = typeof value === 'object' ? putOffBy(value) : undefined;
  if (by !== undefined) {
    await tearDownAfter(ports, handler, job, value);
    return { _tag: 'PutOff', by, durationMs: durationMs() };
  }
  try {
    if (handler.tearDown !== undefined) await handler.tearDown(job, undefined);
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
