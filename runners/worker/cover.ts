/** What already covers a job that is about to be claimed: an equal one that ran later, or a newer root of its family. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { ClaimJob } from '../../domain/job/commands.js';
import { foldJob } from '../../domain/job/fold.js';
import type { ExistingJob, Waiting } from '../../domain/job/state.js';
import { jobStream, type Position, type RecordedEvent, type Revision } from '../../domain/ledger.js';
import type { ClaimSession, DedupKey, FamilyRoot } from '../../projections/ports.js';
import { dedupKeyOf, type Candidate } from './candidate.js';

export interface Cover extends Partial<Pick<ClaimJob, 'executedLater' | 'newerRoot'>> {
  /** Newer roots that will cover the job once they have succeeded. */
  readonly pendingRoots?: readonly PendingRoot[];
}

export interface PendingRoot {
  readonly jobId: string;
  readonly dedupKey: string;
}

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

const keyOf = ({ job: { enqueued } }: Waiting): DedupKey => ({
  wiki: enqueued.wiki,
  type: enqueued.type,
  sha1: enqueued.dedup.sha1,
});

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
  // A thousand twins are one question.
  const keys = new Map(asking.map(({ state }) => [dedupKeyOf(state), keyOf(state)]));
  const equals = await session.index.executedEquals([...keys.values()])();
  if (E.isLeft(equals)) return equals;
  const byKey = new Map([...keys.keys()].map((key, n) => [key, equals.right[n]]));
  for (const candidate of asking) {
    const equal = byKey.get(dedupKeyOf(candidate.state));
    if (equal === undefined || equal.jobId === candidate.jobId || equal.position <= candidate.wantedAt)
      continue;
    found.set(candidate, { executedLater: { jobId: equal.jobId, rootTimestamp: equal.rootTimestamp } });
  }
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
  const streams = await session.store.readStreams(ids.map(jobStream))();
  if (E.isLeft(streams)) return streams;
  const standings = new Map(ids.map((id) => [id, standing(streams.right.get(jobStream(id)) ?? [])]));
  const quiet = await untilQuietEnds(session, [...standings.values()]);
  if (E.isLeft(quiet)) return quiet;
  for (const [member, rootIds] of newer) {
    found.set(member, coverByRoots(member, rootIds, standings));
  }
  return E.right(found);
};

const coverByRoots = (
  { wantedAt }: Candidate,
  rootIds: readonly string[],
  standings: ReadonlyMap<string, Standing | undefined>,
): Cover => {
  const pendingRoots: PendingRoot[] = [];
  for (const jobId of rootIds) {
    const root = standings.get(jobId);
    if (root === undefined) continue;
    if (root.covers > wantedAt) return { newerRoot: { jobId, timestamp: root.timestamp } };
    if (root.isPending && (root.begunAt ?? wantedAt + 1n) > wantedAt)
      pendingRoots.push({ jobId, dedupKey: root.dedupKey });
  }
  return { pendingRoots };
};

const laterThan = ({ jobId, state }: Candidate, roots: readonly FamilyRoot[]): readonly string[] =>
  roots
    .filter((root) => root.jobId !== jobId && root.timestamp > (state.job.root?.timestamp ?? ''))
    .map((root) => root.jobId);

/** Nothing that began since a pending root was asked for can supersede it before the first attempt behind that: so long it covers. */
const untilQuietEnds = async (
  { index }: ClaimSession,
  standings: readonly (Standing | undefined)[],
): Promise<E.Either<StoreError, undefined>> => {
  const pending = standings.filter((root): root is Standing => root?.isPending === true);
  if (pending.length === 0) return E.right(undefined);
  const ends = await index.quietUntil(pending.map(({ covers }) => covers))();
  if (E.isLeft(ends)) return ends;
  for (const [n, root] of pending.entries()) root.covers = ends.right[n] ?? root.covers;
  return E.right(undefined);
};

interface Standing {
  readonly timestamp: string;
  readonly dedupKey: string;
  /** What was asked for before this position is done by this root. */
  covers: Position;
  /** It has not ended. */
  readonly isPending: boolean;
  /** Where it began, if it has. */
  readonly begunAt: Position | undefined;
}

/**
 * A root that has succeeded covers what was asked for before it began. One that has not may yet be superseded itself, by what began
 * after it was asked for (ADR 9): so it covers only what was asked for before that. One that has ended otherwise counts no more.
 */
const standing = (events: readonly RecordedEvent[]): Standing | undefined => {
  const state = foldJob(events);
  if (E.isLeft(state) || state.right._tag === 'None') return undefined;
  const { timestamp } = state.right.job.root ?? {};
  const revision = coveringRevision(state.right);
  const covers = revision === undefined ? undefined : events[Number(revision)]?.position;
  if (timestamp === undefined || covers === undefined) return undefined;
  return {
    timestamp,
    dedupKey: dedupKeyOf(state.right),
    covers,
    isPending: state.right._tag !== 'Succeeded',
    begunAt:
      state.right._tag === 'Running'
        ? events[Number(state.right.attempt.begunRevision)]?.position
        : undefined,
  };
};

const coveringRevision = (state: ExistingJob): Revision | undefined => {
  switch (state._tag) {
    case 'Succeeded':
      return state.begunRevision;
    case 'Waiting':
    case 'Claimed':
    case 'Running':
      return state.job.wantedRevision;
    default:
      return undefined;
  }
};
