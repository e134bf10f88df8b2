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
import type { Candidate, ClaimOptions } from './candidate.js';
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

export const decideClaims = (
  session: ClaimSession,
  options: ClaimOptions,
  chosen: readonly Candidate[],
  covers: readonly Cover[],
): readonly Decided[] => {
  const decided: Decided[] = [];
  let started = 0;
  for (const [n, candidate] of chosen.entries()) {
    const mayStart = started < options.startable;
    const next = decideClaim(session, options, candidate, covers[n] ?? {}, mayStart);
    if (next === undefined) continue;
    decided.push(next);
    if (next.state._tag === 'Running') started += 1;
  }
  return decided;
};

const decideClaim = (
  session: ClaimSession,
  options: ClaimOptions,
  candidate: Candidate,
  cover: Cover,
  mayStart: boolean,
): Decided | undefined => {
  const commandId = newId();
  const token = tokenOf(eventIdOf(commandId, 0));
  const { runner, leaseMs } = options;
  const decision = decide(
    {
      _tag: 'ClaimJob',
      token,
      now: session.now,
      runner,
      leaseExpiresAt: addMilliseconds(session.now, leaseMs),
      retry: candidate.handler.retry,
      allowsRetries: candidate.handler.allowsRetries,
      ignoreDuplicates: candidate.handler.ignoreDuplicates,
      ...cover,
    },
    candidate.state,
  );
  if (E.isLeft(decision)) return undefined;
  const origin = { by: runner.id, occurredAt: session.now };
  const claimed = advanceJob(candidate.state, decision.right);
  const start = mayStart ? startOf(session.now, options, candidate, claimed) : undefined;
  const append = {
    stream: jobStream(candidate.jobId),
    expected: candidate.state.revision,
    events: [
      ...envelope(decision.right, { ...origin, commandId }),
      ...(start === undefined ? [] : envelope(start.events, { ...origin, commandId: newId() })),
    ],
  };
  return { token, candidate, state: start?.state ?? claimed, decoded: start?.decoded, append };
};

interface Start {
  readonly events: readonly JobEvent[];
  readonly state: JobState;
  readonly decoded: HeldJob['decoded'];
}

/**
 * The start of a job that has its slot. Not of one whose params are refused, which is abandoned unstarted, nor of one that lost its
 * lease before: it may be what ends processes, and is started by itself.
 */
const startOf = (
  now: string,
  { misfireToleranceMs }: ClaimOptions,
  { handler }: Candidate,
  claimed: JobState,
): Start | undefined => {
  if (claimed._tag !== 'Claimed' || claimed.job.losses > 0) return undefined;
  const params = handler.decodeParams(claimed.job.params);
  if (E.isLeft(params)) return undefined;
  const { token } = claimed.claim;
  const decision = decide(
    { _tag: 'StartAttempt', token, now, attemptId: newId(), misfireToleranceMs },
    claimed,
  );
  if (E.isLeft(decision)) return undefined;
  const events = decision.right;
  return { events, state: advanceJob(claimed, events), decoded: { params: params.right } };
};
