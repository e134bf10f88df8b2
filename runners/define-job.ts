/** Handlers: what a runner does for a job type. */
import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { firstFlaw } from '../domain/decoding.js';
import { errorFacts } from '../domain/job/error-facts.js';
import type { Root } from '../domain/job/facts.js';
import { retryFlaw } from '../domain/job/retry.js';
import type { JobSpecification } from '../domain/job/specification.js';
import type { JsonObject } from '../domain/json.js';
import { handlerRetryFlaw, retryRules, type HandlerRetry, type RetryRules } from './handler-retry.js';
import type { HandlersLedger } from './library/asking.js';
import {
  anything,
  callable,
  flag,
  insist,
  isObject,
  jobType,
  requestFlaw,
  type Check,
} from './library/request.js';

export interface HandledJob<P = JsonObject> {
  readonly id: string;
  readonly wiki: string;
  readonly type: string;
  readonly namespace: number | undefined;
  readonly title: string | undefined;
  readonly params: P;
  /** From 1. */
  readonly attempt: number;
  readonly priority: number;
  readonly root: Root | undefined;
  readonly enqueuedAt: string;
}

export interface JobContext {
  readonly attempt: number;
  readonly taskId: string;
  /** Fires when the lease is lost, the job is cancelled, its time limit is over, or the grace time of a stop is. */
  readonly signal: AbortSignal;
  /** Renews the runner's lease at once. Needed only where a handler blocks the event loop for long. */
  readonly heartbeat: () => Promise<void>;
  /** A job that is enqueued behind the success of this attempt, which carries it; where the attempt fails there is none. */
  readonly spawn: (specification: JobSpecification) => void;
  readonly log: (message: string) => void;
  /** How far the attempt is: a share from 0 to 1, `{ done, total }`, a text, or any short JSON. Shown by `top` and `job` while it runs. */
  readonly progress: (value: unknown) => void;
  /** The ledger this job is of: to enqueue, look up, cancel and so on, whatever becomes of this attempt. */
  readonly ledger: HandlersLedger;
}

export interface JobDefinition<P = JsonObject> {
  readonly type: string;
  /** Decodes the params; those it refuses are abandoned as not retryable, with the path. Default: as they are. */
  readonly params?: t.Decoder<unknown, P> | undefined;
  readonly ignoreDuplicates?: boolean | undefined;
  /** An enqueue that says its own limit or back-off goes before; `false` allows one attempt, whatever an enqueue says. */
  readonly retry?: HandlerRetry | false | undefined;
  /** `false` is the same as `retry: false`. */
  readonly allowRetries?: boolean | undefined;
  /** Milliseconds that one attempt may take. Then its signal fires, and it fails as `AttemptTimedOut`. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Returned `false` is a failure, a `Snooze` puts the job off; any other value is the result. */
  readonly run: (job: HandledJob<P>, context: JobContext) => unknown;
  /** Called behind every attempt, with its error if it failed, or its `Snooze`; undefined behind a success only. */
  readonly tearDown?: ((job: HandledJob<P>, error: unknown) => unknown) | undefined;
}

/** A handler ready for the runner: params arrive undecoded. */
export interface Handler extends RetryRules {
  readonly type: string;
  readonly ignoreDuplicates: boolean;
  readonly timeoutMs: number | undefined;
  readonly decodeParams: (params: JsonObject) => E.Either<string, unknown>;
  readonly run: (job: HandledJob<unknown>, context: JobContext) => unknown;
  readonly tearDown: ((job: HandledJob<unknown>, error: unknown) => unknown) | undefined;
}

/** Every type that has no handler of its own. */
export const ANY_TYPE = '*';

/** Node.js's timers run at most so long. */
const LONGEST_TIMEOUT_MS = 2_147_483_647;

const timeout: Check = (timeoutMs) =>
  typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= LONGEST_TIMEOUT_MS
    ? undefined
    : `is not a number of milliseconds from 1 to ${LONGEST_TIMEOUT_MS}`;

const codec: Check = (value) =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'decode') === 'function'
    ? undefined
    : 'is not a codec of io-ts, such as t.type({ to: t.string })';

const handledType: Check = (value) => (value === ANY_TYPE ? undefined : jobType(value));

const DEFINITION = {
  type: handledType,
  params: codec,
  ignoreDuplicates: flag,
  /** Told by its path. */
  retry: anything,
  allowRetries: flag,
  timeoutMs: timeout,
  run: callable,
  tearDown: callable,
};

const definitionFlaw = (definition: Pick<JobDefinition, 'type' | 'retry'>): string | undefined => {
  const type: unknown = isObject(definition) ? definition.type : undefined;
  const name = typeof type === 'string' ? `the handler of "${type}"` : 'defineJob';
  const flaw = requestFlaw(name, definition, DEFINITION, ['type', 'run']);
  if (flaw !== undefined) return flaw;
  const retry = handlerRetryFlaw(definition.retry);
  return retry === undefined ? undefined : `${name}: ${retry}`;
};

/** A codec that throws refuses too: it must not stand in the way of other jobs. */
const decoded = <P>(params: t.Decoder<unknown, P>, value: JsonObject): E.Either<string, P> => {
  try {
    return E.mapLeft(firstFlaw)(params.decode(value));
  } catch (error) {
    return E.left(`the codec failed: ${errorFacts(error).message}`);
  }
};

/** @throws TypeError that says what is wrong with the definition */
export const defineJob = <P = JsonObject>(definition: JobDefinition<P>): Handler => {
  insist(definitionFlaw(definition));
  const {
    type,
    params,
    ignoreDuplicates = false,
    retry,
    allowRetries,
    timeoutMs,
    run,
    tearDown,
  } = definition;
  return {
    type,
    ignoreDuplicates,
    timeoutMs,
    ...retryRules(retry, allowRetries),
    decodeParams: (value) => (params === undefined ? E.right(value) : decoded(params, value)),
    run: (job, context) => run(job as HandledJob<P>, context),
    tearDown: tearDown === undefined ? undefined : (job, error) => tearDown(job as HandledJob<P>, error),
  };
};

const isHandler = (value: object): value is Handler =>
  'decodeParams' in value && typeof value.decodeParams === 'function';

const isDefinition = (value: object): value is JobDefinition =>
  'type' in value && typeof value.type === 'string' && 'run' in value && typeof value.run === 'function';

const handlerOf = (member: unknown, index: number): E.Either<string, Handler> => {
  if (typeof member !== 'object' || member === null) return E.left(`handler ${index} is not an object`);
  if (isHandler(member)) {
    const flaw = member.retry === undefined ? undefined : retryFlaw(member.retry);
    return flaw === undefined ? E.right(member) : E.left(`the handler of "${member.type}": ${flaw}`);
  }
  if (!isDefinition(member)) return E.left(`handler ${index} has no type and run(job, context)`);
  return E.tryCatch(
    () => defineJob(member),
    (error) => errorFacts(error).message,
  );
};

/** Handlers as a module gives them: made by `defineJob` or plain `{ type, run }`; or what is wrong with them. */
export const handlersOf = (value: unknown): E.Either<string, readonly Handler[]> => {
  if (!Array.isArray(value)) return E.left('its default export is not an array of handlers');
  const handlers: Handler[] = [];
  for (const [index, member] of (value as readonly unknown[]).entries()) {
    const handler = handlerOf(member, index);
    if (E.isLeft(handler)) return handler;
    handlers.push(handler.right);
  }
  const twice = handlers.find(
    ({ type }, index) => handlers.findIndex((other) => other.type === type) !== index,
  );
  return twice === undefined ? E.right(handlers) : E.left(`the type "${twice.type}" has two handlers`);
};
