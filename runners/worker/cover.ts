/** What already covers a job that is about to be claimed: an equal one that ran later, or a newer root of its family. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { ClaimJob } from '../../domain/job/commands.js';
import type { JobState } from '../../domain/job/state.js';
import type { ClaimSession, FamilyRoot } from '../../projections/ports.js';
import { loadJobs } from '../streams/job-streams.js';
import type { Candidate } from './candidate.js';

export type Cover = Partial<Pick<ClaimJob, 'executedLater' | 'newerRoot'>>;

export const coverOf = async (
  session: ClaimSession,
  candidates: readonly Candidate[],
): Promise<E.Either<StoreError, readonly Cover[]>> => {
  const executed = await executedLater(session, candidates);
  if (E.isLeft(executed)) return executed;
  const roots = await newerRoots(session, candidates);
  if (E.isLeft(roots)) return roots;
  return E.right(
    candidates.map((candidate) => ({ ...executed.right.get(candidate), ...roots.right.get(candidate) })),
  );
};

type Found = ReadonlyMap<Candidate, Cover>;

const executedLater = async (
  session: ClaimSession,
  candidates: readonly Candidate[],
): Promise<E.Either<StoreError, Found>> => {
  const asking = candidates.filter(
    ({ state, handler }) => state.job.ignoreDuplicates || handler.ignoreDuplicates,
  );
  const found = new Map<Candidate, Cover>();
  if (asking.length === 0) return E.right(found);
  const equals = await session.index.executedEquals(
    asking.map(
      ({
        state: {
          job: {
            enqueued: { wiki, type, dedup },
          },
        },
      }) => ({ wiki, type, sha1: dedup.sha1 }),
    ),
  )();
  if (E.isLeft(equals)) return equals;
  asking.forEach((candidate, n) => {
    const equal = equals.right[n];
    if (equal === undefined || equal.jobId === candidate.jobId || equal.position <= candidate.enqueuedAt)
      return;
    found.set(candidate, { executedLater: { jobId: equal.jobId, rootTimestamp: equal.rootTimestamp } });
  });
  return E.right(found);
};

/** The index only points at a root; whether it still counts is read from its own stream. */
const newerRoots = async (
  session: ClaimSession,
  candidates: readonly Candidate[],
): Promise<E.Either<StoreError, Found>> => {
  const found = new Map<Candidate, Cover>();
  const members = candidates.filter(({ state }) => state.job.root !== undefined);
  if (members.length === 0) return E.right(found);
  const families = members.map(({ state: { job } }) => ({
    wiki: job.enqueued.wiki,
    type: job.enqueued.type,
    signature: job.root?.signature ?? '',
  }));
  const roots = await session.index.newestRoots(families)();
  if (E.isLeft(roots)) return roots;
  const newer = new Map(members.map((member, n) => [member, laterThan(member, roots.right[n] ?? [])]));
  const ids = [...new Set([...newer.values()].flat())];
  if (ids.length === 0) return E.right(found);
  const states = await loadJobs(session.store, ids);
  if (E.isLeft(states)) return states;
  for (const [member, rootIds] of newer) {
    const root = rootIds
      .map((jobId) => ({ jobId, timestamp: standing(states.right.get(jobId)) }))
      .find(isStanding);
    if (root !== undefined) found.set(member, { newerRoot: root });
  }
  return E.right(found);
};

const laterThan = ({ jobId, state }: Candidate, roots: readonly FamilyRoot[]): readonly string[] =>
  roots
    .filter((root) => root.jobId !== jobId && root.timestamp > (state.job.root?.timestamp ?? ''))
    .map((root) => root.jobId);

const isStanding = (root: {
  readonly jobId: string;
  readonly timestamp: string | undefined;
}): root is { jobId: string; timestamp: string } => root.timestamp !== undefined;

/** The timestamp of a root that still stands for its family; one that was cancelled, abandoned or superseded counts no more. */
const standing = (state: E.Either<StoreError, JobState> | undefined): string | undefined => {
  if (state === undefined || E.isLeft(state) || state.right._tag === 'None') return undefined;
  switch (state.right._tag) {
    case 'Waiting':
    case 'Claimed':
    case 'Running':
    case 'Succeeded':
      return state.right.job.root?.timestamp;
    default:
      return undefined;
  }
};
