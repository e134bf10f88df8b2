/** A job that this runner holds, and the only way to write to its stream: decided on its state, fenced by its token. */
import * as E from 'fp-ts/lib/Either.js';
import { newId } from '../../adapters/system.js';
import { explainStoreError } from '../../domain/errors.js';
import type { JobCommand } from '../../domain/job/commands.js';
import { decide } from '../../domain/job/decide.js';
import type { JobRejection } from '../../domain/job/errors.js';
import { advanceJob } from '../../domain/job/fold.js';
import type { Claimed, ExistingJob, JobState, Running } from '../../domain/job/state.js';
import { jobStream } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import { envelope } from '../streams/event-envelope.js';
import { loadJob } from '../streams/job-streams.js';
import { dedupKeyOf } from './candidate.js';
import type { Tenure } from './tenure.js';

export interface HeldJob {
  readonly jobId: string;
  readonly token: string;
  /** Of all equal jobs the same. */
  readonly dedupKey: string;
  state: ExistingJob;
  /** As the handler's codec gave them when the claim was started; undefined where that is still to come. */
  readonly decoded: { readonly params: unknown } | undefined;
  /** Rank of the class its queue was picked for: a smaller one is started first. */
  readonly rank: number;
  /** The last write, which may be under way: the next one decides on the state that it leaves. */
  writing: Promise<unknown> | undefined;
}

export type WriteFailure = JobRejection | { readonly _tag: 'NotWritten'; readonly message: string };

export const held = (
  jobId: string,
  state: Claimed | Running,
  rank: number,
  decoded: HeldJob['decoded'],
): HeldJob => ({
  jobId,
  token: state.claim.token,
  dedupKey: dedupKeyOf(state),
  state,
  decoded,
  rank,
  writing: undefined,
});

const MOST_CONFLICTS = 5;

/**
 * Decides and appends at the last revision known. On a conflict the stream is read again: with our own token still current the command
 * is decided anew; otherwise `decide` says `LeaseLost`, and nothing is written.
 */
export const write = (
  store: Pick<EventStore, 'readStreams'>,
  tenure: Tenure,
  job: HeldJob,
  command: JobCommand,
  occurredAt: string,
): Promise<Written> => {
  const writing = decideAndAppend(store, tenure, job, command, occurredAt, job.writing);
  job.writing = writing;
  return writing;
};

type Written = E.Either<WriteFailure, ExistingJob>;

const decideAndAppend = async (
  store: Pick<EventStore, 'readStreams'>,
  tenure: Tenure,
  job: HeldJob,
  command: JobCommand,
  occurredAt: string,
  before: Promise<unknown> | undefined,
): Promise<Written> => {
  if (before !== undefined) await before;
  for (let conflicts = 0; conflicts <= MOST_CONFLICTS; conflicts += 1) {
    const decision = decide(command, job.state);
    if (E.isLeft(decision)) return decision;
    const outcome = await tenure.journal.submit({
      stream: jobStream(job.jobId),
      expected: job.state.revision,
      isSeen: true,
      events: envelope(decision.right, { commandId: newId(), by: tenure.runner.id, occurredAt }),
    });
    if (E.isRight(outcome)) {
      job.state = existing(advanceJob(job.state, decision.right), job.state);
      return E.right(job.state);
    }
    if (outcome.left._tag !== 'Conflict')
      return E.left({ _tag: 'NotWritten', message: explainStoreError(outcome.left) });
    const reread = await loadJob(store, job.jobId);
    if (E.isLeft(reread)) return E.left({ _tag: 'NotWritten', message: explainStoreError(reread.left) });
    job.state = existing(reread.right, job.state);
  }
  return E.left({ _tag: 'NotWritten', message: `${MOST_CONFLICTS} conflicts in a row` });
};

const existing = (state: JobState, before: ExistingJob): ExistingJob =>
  state._tag === 'None' ? before : state;
