/** A batch of claims in one short transaction: picked, read, checked for what covers them, decided, appended. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import { foldJob } from '../../domain/job/fold.js';
import { jobStream, type RecordedEvent } from '../../domain/ledger.js';
import type { ClaimSession } from '../../projections/ports.js';
import { dedupKeyOf, mayBeCovered, type Candidate, type ClaimOptions } from './candidate.js';
import { decideClaims } from './claim-decisions.js';
import { coverOf } from './cover.js';
import { held, type HeldJob } from './holding.js';

/** A claim that was sent; whether it stands is known when the transaction has committed. Its key is held until whoever tried it drops it. */
export interface TriedClaim {
  readonly jobId: string;
  readonly token: string;
  readonly dedupKey: string;
}

export interface ClaimBatch {
  readonly claimed: readonly HeldJob[];
  readonly superseded: number;
  readonly picked: number;
  /** Picked, and left for the time that an equal job, or an earlier attempt of the same one, is in this runner's hands. */
  readonly twins: number;
}

export const claimPicked = async (
  session: ClaimSession,
  options: ClaimOptions,
  tried: TriedClaim[],
): Promise<E.Either<StoreError, ClaimBatch>> => {
  const picked = session.picked.length;
  // No row, no time either.
  if (picked === 0) return E.right({ claimed: [], superseded: 0, picked, twins: 0 });
  const candidates = await readCandidates(session, options);
  if (E.isLeft(candidates)) return candidates;
  // What ends while it is looked up what covers a job is missed by the look-up, and must not be missed twice.
  const watch = candidates.right.some(mayBeCovered) ? options.keys.watch() : undefined;
  const covers = await coverOf(session, candidates.right);
  watch?.end();
  if (E.isLeft(covers)) return covers;
  const isHeldHere = watch?.wasHeld ?? (() => false);
  const { decided, twins } = decideClaims(
    session,
    { ...options, isHeldHere },
    candidates.right,
    covers.right,
  );
  if (decided.length === 0) return E.right({ claimed: [], superseded: 0, picked, twins });
  for (const { candidate, token } of decided) {
    const dedupKey = dedupKeyOf(candidate.state);
    options.keys.hold(dedupKey);
    tried.push({ jobId: candidate.jobId, token, dedupKey });
  }
  const outcomes = await session.store.append(decided.map(({ append }) => append))();
  if (E.isLeft(outcomes)) return outcomes;
  const written = decided.filter((_, n) => outcomes.right[n]?._tag === 'Right');
  const claimed = written.flatMap(({ candidate, state, decoded }) =>
    state._tag === 'Claimed' || state._tag === 'Running'
      ? [held(candidate.jobId, state, options.rank, decoded)]
      : [],
  );
  return E.right({ claimed, superseded: written.length - claimed.length, picked, twins });
};

/** Rows that their stream has overtaken, or whose history cannot be read, are taken out of the way of the others. */
const readCandidates = async (
  session: ClaimSession,
  { handlerOf, log }: ClaimOptions,
): Promise<E.Either<StoreError, readonly Candidate[]>> => {
  const streams = await session.store.readStreams(session.picked.map(({ jobId }) => jobStream(jobId)))();
  if (E.isLeft(streams)) return streams;
  const candidates: Candidate[] = [];
  const stale: string[] = [];
  for (const { jobId } of session.picked) {
    const candidate = candidateOf(jobId, streams.right.get(jobStream(jobId)) ?? [], handlerOf);
    if (E.isLeft(candidate)) {
      const { isGone, why } = candidate.left;
      if (!isGone || session.isBehind !== true) log(`job ${jobId} was taken from the queue: ${why}`);
      stale.push(jobId);
    } else if (candidate.right !== undefined) candidates.push(candidate.right);
  }
  const dropped = stale.length === 0 ? E.right(undefined) : await session.dropStale(stale)();
  return E.isLeft(dropped) ? dropped : E.right(candidates);
};

/** `isGone`: the job waits no more, as its stream says. */
interface Unfit {
  readonly isGone: boolean;
  readonly why: string;
}

const candidateOf = (
  jobId: string,
  events: readonly RecordedEvent[],
  handlerOf: ClaimOptions['handlerOf'],
): E.Either<Unfit, Candidate | undefined> => {
  const state = foldJob(events);
  if (E.isLeft(state)) return E.left({ isGone: false, why: state.left.message });
  if (state.right._tag !== 'Waiting') return E.left({ isGone: true, why: `it is ${state.right._tag}` });
  const handler = handlerOf(state.right.job.enqueued.type);
  const wantedAt = events[Number(state.right.job.wantedRevision)]?.position ?? 0n;
  return E.right(handler === undefined ? undefined : { jobId, state: state.right, wantedAt, handler });
};
