/** Makes ready again what was abandoned, a page at a time, in the order of the jobs' numbers. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { newId } from '../../adapters/system.js';
import type { StoreError } from '../../domain/errors.js';
import { decide } from '../../domain/job/decide.js';
import { jobStream } from '../../domain/ledger.js';
import type { StreamAppend } from '../../domain/ports.js';
import { jobProjection } from '../../projections/job-table.js';
import type { Ledger } from '../ledger.js';
import { envelope } from '../streams/event-envelope.js';
import { loadJobs } from '../streams/job-streams.js';
import { appendPersistently } from '../streams/persistent-append.js';
import { requeue, type OperationOptions } from './operate.js';

export interface AbandonedJobs extends OperationOptions {
  /** Undefined: of every type, of every wiki. */
  readonly type?: string | undefined;
  readonly wiki?: string | undefined;
  /** At most so many; default: all. */
  readonly limit?: number | undefined;
}

export interface Retried {
  readonly retried: number;
  /** Jobs that somebody else moved at the same moment. */
  readonly passedOver: number;
}

const PAGE = 500;

const retryPage = async (
  { store, clock, by: opener }: Ledger,
  jobIds: readonly string[],
  options: OperationOptions,
): Promise<E.Either<StoreError, number>> => {
  const states = await loadJobs(store, jobIds);
  if (E.isLeft(states)) return states;
  const { by = opener } = options;
  const appends = jobIds.flatMap((jobId): readonly StreamAppend[] => {
    const state = states.right.get(jobId);
    if (state === undefined || E.isLeft(state) || state.right._tag !== 'Abandoned') return [];
    const decided = decide(requeue(options), state.right);
    if (E.isLeft(decided)) return [];
    const events = envelope(decided.right, { commandId: newId(), by, occurredAt: clock.now() });
    return [{ stream: jobStream(jobId), expected: state.right.revision, events }];
  });
  if (appends.length === 0) return E.right(0);
  const outcomes = await appendPersistently(store, appends);
  return E.map((answers: readonly E.Either<unknown, unknown>[]) => answers.filter(E.isRight).length)(
    outcomes,
  );
};

export const retryAbandoned =
  (
    ledger: Ledger,
    { type, wiki, limit = Infinity, ...options }: AbandonedJobs,
  ): TaskEither<StoreError, Retried> =>
  async () => {
    const caughtUp = await ledger.catchUp([jobProjection])();
    if (E.isLeft(caughtUp)) return caughtUp;
    let [retried, seen, after] = [0, 0, '0'];
    while (seen < limit) {
      const jobs = await ledger.reading.abandoned({ type, wiki }, after, Math.min(PAGE, limit - seen))();
      if (E.isLeft(jobs)) return jobs;
      const last = jobs.right.at(-1);
      if (last === undefined) break;
      const jobIds = jobs.right.map(({ jobId }) => jobId);
      const page = await retryPage(ledger, jobIds, options);
      if (E.isLeft(page)) return page;
      retried += page.right;
      seen += jobIds.length;
      after = last.number;
    }
    return E.right({ retried, passedOver: seen - retried });
  };
