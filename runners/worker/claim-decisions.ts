/** What is appended for each job that is to be claimed: the claim, or what takes its place, and the start of what has its slot. */
import * as E from 'fp-ts/lib/Either.js';
import { newId, tokenOf } from '../../adapters/system.js';
import { decide } from '../../domain/job/decide.js';
import type { JobEvent } from '../../domain/job/events.js';
import { advanceJob } from '../../domain/job/fold.js';
import type { JobState } from '../../domain/job/state.js';
import { addMilliseconds } from '../../domain/instant.js';
import { jobStream } from '../../domain/ledger.js';
import type { StreamAppend } from '../../domain/ports.js';
import type { ClaimSession } from '../../projections/ports.js';
import { envelope, eventIdOf } from '../streams/event-envelope.js';
import { dedupKeyOf, ignoresDuplicates, type Candidate, type ClaimOptions } from './candidate.js';
import type { Cover } from './cover.js';
import type { HeldJob } from './holding.js';

export interface Decided {
  readonly token: string;
  readonly candidate: Candidate;
  /** As the append leaves the job. */
  readonly state: JobState;
  /** Where the claim is started with it: what the handler's codec made of the params. */
  readonly decoded: HeldJob['decoded'];
  readonly append: StreamAppend;
}

export interface DecisionOptions extends ClaimOptions {
  /** True where an equal job is in this runner's hands, or was when it was looked up what covers the candidates. */
  readonly isHeldHere: (dedupKey: string) => boolean;
}

export interface Decisions {
  readonly decided: readonly Decided[];
  /** Left for the time that an equal job, or an earlier attempt of the same one, is in this runner's hands. */
  readonly twins: number;
}

/** All that are covered go at once; of the others as many as are wanted. */
export const decideClaims = (
  session: ClaimSession,
  options: DecisionOptions,
  candidates: readonly Candidate[],
  covers: readonly Cover[],
): Decisions => {
  // A pick that came back empty has brought no time with it.
  if (candidates.length === 0) return { decided: [], twins: 0 };
  const decided: Decided[] = [];
  const terms = {
    ...options,
    now: session.now,
    leaseExpiresAt: addMilliseconds(session.now, options.leaseMs),
  };
  const isTwin = twinsOf(options);
  const waitsForRoot = waitingForRoots(options, candidates);
  let [claims, started, twins] = [0, 0, 0];
  for (const [n, candidate] of candidates.entries()) {
    const cover = covers[n] ?? {};
    const superseded = isCovered(cover) ? decideClaim(terms, candidate, cover, false) : undefined;
    if (superseded?.state._tag === 'Superseded') {
      decided.push(superseded);
    } else if (waitsForRoot(cover) || isStillRun(options, candidate) || isTwin(candidate)) {
      twins += 1;
    } else if (claims < options.most) {
      const next = decideClaim(terms, candidate, cover, started < options.startable);
      if (next === undefined) continue;
      decided.push(next);
      claims += 1;
      if (next.state._tag === 'Running') started += 1;
    }
  }
  return { decided, twins };
};

const isCovered = ({ executedLater, newerRoot }: Cover): boolean =>
  executedLater !== undefined || newerRoot !== undefined;

/** Its claim was taken from this runner, and its handler has not heard of it, or does not heed its signal. */
const isStillRun = (options: DecisionOptions, { jobId, state: { job } }: Candidate): boolean =>
  job.task !== undefined && options.isStillRun?.(jobId) === true;

/** Of equal jobs one is claimed at a time, so that the others can be superseded by its success. */
const twinsOf = ({ isHeldHere }: DecisionOptions): ((candidate: Candidate) => boolean) => {
  const keys = new Set<string>();
  return (candidate) => {
    if (!ignoresDuplicates(candidate)) return false;
    const key = dedupKeyOf(candidate.state);
    const isTwin = keys.has(key) || isHeldHere(key);
    keys.add(key);
    return isTwin;
  };
};

/** A job waits for a newer root of its family that this runner holds or is about to: its success will supersede the job. */
const waitingForRoots = (
  { isHeldHere }: DecisionOptions,
  candidates: readonly Candidate[],
): ((cover: Cover) => boolean) => {
  const picked = new Set(candidates.map(({ jobId }) => jobId));
  return ({ pendingRoots = [] }) =>
    pendingRoots.some(({ jobId, dedupKey }) => picked.has(jobId) || isHeldHere(dedupKey));
};

/** What all claims of a batch have in common. */
interface Terms extends ClaimOptions {
  readonly now: string;
  readonly leaseExpiresAt: string;
}

const decideClaim = (
  terms: Terms,
  candidate: Candidate,
  { executedLater, newerRoot }: Cover,
  mayStart: boolean,
): Decided | undefined => {
  const commandId = newId();
  const token = tokenOf(eventIdOf(commandId, 0));
  const { runner, now, leaseMsOf } = terms;
  const leaseExpiresAt =
    leaseMsOf === undefined
      ? terms.leaseExpiresAt
      : addMilliseconds(now, leaseMsOf(candidate.state.job.enqueued.type));
  const decision = decide(
    {
      _tag: 'ClaimJob',
      token,
      now,
      runner,
      leaseExpiresAt,
      retry: candidate.handler.retry,
      allowsRetries: candidate.handler.allowsRetries,
      ignoreDuplicates: candidate.handler.ignoreDuplicates,
      executedLater,
      newerRoot,
    },
    candidate.state,
  );
  if (E.isLeft(decision)) return undefined;
  const claimed = advanceJob(candidate.state, decision.right);
  const start = mayStart ? startOf(terms, candidate, claimed) : undefined;
  const claims = envelopeOf(terms, commandId, decision.right);
  const append = {
    stream: jobStream(candidate.jobId),
    expected: candidate.state.revision,
    isSeen: true,
    events: start === undefined ? claims : [...claims, ...envelopeOf(terms, start.commandId, start.events)],
  };
  return { token, candidate, state: start?.state ?? claimed, decoded: start?.decoded, append };
};

const envelopeOf = ({ runner, now }: Terms, commandId: string, events: readonly JobEvent[]) =>
  envelope(events, { commandId, by: runner.id, occurredAt: now });

interface Start {
  readonly commandId: string;
  readonly events: readonly JobEvent[];
  readonly state: JobState;
  readonly decoded: HeldJob['decoded'];
}

/**
 * The start of a job that has its slot. Not of one whose params are refused, which is abandoned unstarted, nor of one that lost its
 * lease before: it may be what ends processes, and is started by itself.
 */
const startOf = (
  { now, misfireToleranceMs }: Terms,
  { handler }: Candidate,
  claimed: JobState,
): Start | undefined => {
  if (claimed._tag !== 'Claimed' || claimed.job.losses > 0) return undefined;
  const params = handler.decodeParams(claimed.job.params);
  if (E.isLeft(params)) return undefined;
  const { token } = claimed.claim;
  const commandId = newId();
  const decision = decide(
    { _tag: 'StartAttempt', token, now, attemptId: commandId, misfireToleranceMs },
    claimed,
  );
  if (E.isLeft(decision)) return undefined;
  const events = decision.right;
  return { commandId, events, state: advanceJob(claimed, events), decoded: { params: params.right } };
};
