/** From claim to a durable start: decode, start, and what the handler will be called with. */
import * as E from 'fp-ts/lib/Either.js';
import { newId } from '../../adapters/system.js';
import type { Running } from '../../domain/job/state.js';
import type { HandledJob, Handler } from '../define-job.js';
import { NotRetryable } from '../handler-outcome.js';
import { ended, report, type AttemptEnd, type AttemptPorts, type StartedAttempt } from './attempt.js';
import { write, type HeldJob } from './holding.js';

/** An attempt whose start was written with its claim. A codec that refuses now what it took then fails it, for good. */
export const startedAttempt = (job: HeldJob, running: Running, handler: Handler): StartedAttempt => {
  const params =
    job.decoded === undefined ? handler.decodeParams(running.job.params) : E.right(job.decoded.params);
  if (E.isRight(params)) return asStarted(job, handler, running, params.right);
  const refuse = (): never => {
    throw new NotRetryable(params.left);
  };
  return asStarted(job, { ...handler, run: refuse, tearDown: undefined }, running, running.job.params);
};

const asStarted = (job: HeldJob, handler: Handler, running: Running, params: unknown): StartedAttempt => ({
  job,
  handler,
  running,
  handled: handledJob(running, job.jobId, params),
});

/** Decode and start. The start is durable before the handler is called, so that a job which ends its process is counted. */
export const startAttempt = async (
  ports: AttemptPorts,
  job: HeldJob,
  handler: Handler,
): Promise<E.Either<AttemptEnd, StartedAttempt>> => {
  const params = handler.decodeParams(job.state.job.params);
  if (E.isLeft(params)) {
    const error = { name: 'ParamsRefused', message: params.left };
    const written = await report(ports, job, { _tag: 'RefuseParams', token: job.token, error });
    return E.left(ended(ports, job, written, 'refused'));
  }
  const started = await start(ports, job);
  if (E.isLeft(started)) return E.left(ended(ports, job, started, 'lost'));
  if (started.right._tag !== 'Running') return E.left('lost');
  return E.right(asStarted(job, handler, started.right, params.right));
};

const start = (ports: AttemptPorts, job: HeldJob) => {
  const now = ports.clock.now();
  const { misfireToleranceMs } = ports;
  const command = {
    _tag: 'StartAttempt',
    token: job.token,
    now,
    attemptId: newId(),
    misfireToleranceMs,
  } as const;
  return write(ports.store, ports.tenure, job, command, now);
};

export const handledJob = <P>({ job, attempt }: Running, id: string, params: P): HandledJob<P> => ({
  id,
  wiki: job.enqueued.wiki,
  type: job.enqueued.type,
  namespace: job.enqueued.namespace,
  title: job.enqueued.title,
  params,
  attempt: attempt.number,
  priority: job.priority,
  root: job.root,
  enqueuedAt: job.enqueued.enqueuedAt,
});
