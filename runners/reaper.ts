/**
 * Recovery: brings `claimed_job` up to date, marks overdue runners lost, and expires their claims through `decide`. Anyone may run it,
 * any number at once: what it writes is conditional on the revision it read.
 */
import * as E from 'fp-ts/lib/Either.js';
import { newId } from '../adapters/system.js';
import { explainStoreError, type StoreError } from '../domain/errors.js';
import { decide } from '../domain/job/decide.js';
import { jobStream } from '../domain/ledger.js';
import type { EventStore, StreamAppend } from '../domain/ports.js';
import type { ClaimWatch, ExpiredClaim, LostRunners, RunnerPresence } from '../projections/ports.js';
import { envelope } from './streams/event-envelope.js';
import { loadJobs } from './streams/job-streams.js';
import { pause } from '../adapters/pause.js';

export interface ReaperPorts {
  readonly store: Pick<EventStore, 'append' | 'readStreams'>;
  readonly watch: ClaimWatch;
  readonly presence: Pick<RunnerPresence, 'markLost'>;
  /** Brings `claimed_job` to the end of history, and appends children that are missing there (follow-up.ts); how many. */
  readonly catchUpClaims: () => Promise<E.Either<StoreError, number>>;
  /** Drops rows of inline tables that can never matter again. */
  readonly keepHouse: () => Promise<E.Either<StoreError, unknown>>;
  /** Called while rounds fail: the server may be found elsewhere. */
  readonly findServer: () => Promise<void>;
  readonly log: (line: string) => void;
}

export interface ReaperOptions {
  readonly by: string;
  /** Claims looked at in one trip. */
  readonly pageSize?: number;
  /** Called between reading the streams and appending; for tests that hold the reaper there. */
  readonly beforeAppend?: () => Promise<void>;
}

const PAGE_SIZE = 500;

/** One round, to the end of the table. Gives the number of jobs that are ready by it: claims expired, and children appended. */
export const expireClaims = async (
  ports: ReaperPorts,
  options: ReaperOptions,
): Promise<E.Either<StoreError, number>> => {
  const caughtUp = await ports.catchUpClaims();
  if (E.isLeft(caughtUp)) return caughtUp;
  const lost = await markLost(ports);
  if (E.isLeft(lost)) return lost;
  const limit = options.pageSize ?? PAGE_SIZE;
  let expired = caughtUp.right;
  let after: string | undefined;
  for (;;) {
    const page = await ports.watch.expired(after, limit)();
    if (E.isLeft(page)) return page;
    const written = await expirePage(ports, options, page.right.now, page.right.claims);
    if (E.isLeft(written)) return written;
    expired += written.right;
    after = page.right.claims.at(-1)?.jobId;
    if (page.right.claims.length < limit) return E.right(expired);
  }
};

const markLost = async ({ presence, log }: ReaperPorts): Promise<E.Either<StoreError, LostRunners>> => {
  const lost = await presence.markLost()();
  if (E.isRight(lost))
    for (const runner of lost.right.newly) log(`runner ${runner} is lost: it did not renew in time`);
  return lost;
};

const expirePage = async (
  ports: ReaperPorts,
  options: ReaperOptions,
  now: string,
  claims: readonly ExpiredClaim[],
): Promise<E.Either<StoreError, number>> => {
  if (claims.length === 0) return E.right(0);
  const states = await loadJobs(
    ports.store,
    claims.map(({ jobId }) => jobId),
  );
  if (E.isLeft(states)) return states;
  const appends = claims.flatMap((claim): readonly StreamAppend[] => {
    const state = states.right.get(claim.jobId);
    if (state === undefined || E.isLeft(state) || state.right._tag === 'None') return [];
    const { token, renewedUntil } = claim;
    const decision = decide(
      { _tag: 'ExpireLease', token, now, renewedUntil, random: Math.random() },
      state.right,
    );
    if (E.isLeft(decision)) return [];
    const events = envelope(decision.right, { commandId: newId(), by: options.by, occurredAt: now });
    return [{ stream: jobStream(claim.jobId), expected: state.right.revision, events }];
  });
  await options.beforeAppend?.();
  if (appends.length === 0) return E.right(0);
  const outcomes = await ports.store.append(appends)();
  if (E.isLeft(outcomes)) return outcomes;
  // A conflict: the stream moved on, and the claim with it. Nothing is written, which is right.
  return E.right(outcomes.right.filter(E.isRight).length);
};

/** How long claims without a lost runner (imported ones, those of runners that left) may go unlooked at. */
const FULL_ROUND_MS = 10_000;

const HOUSEKEEPING_MS = 60_000;

/** Whether a round can find anything: reading the claims of a busy ledger for nothing would cost it dearly. */
const isNeeded = async (
  ports: ReaperPorts,
  sinceFullRound: number,
): Promise<E.Either<StoreError, boolean>> => {
  const lost = await markLost(ports);
  if (E.isLeft(lost)) return lost;
  return E.right(lost.right.isAny || sinceFullRound >= FULL_ROUND_MS);
};

export interface Reaper {
  readonly stop: () => Promise<void>;
}

/** Rounds, one behind the other, `tickMs` apart, until stopped. A failing round is told once until the reason changes. */
export const reaper = (
  ports: ReaperPorts,
  options: ReaperOptions & { readonly tickMs: number; readonly onExpired?: () => void },
): Reaper => {
  const stopping = new AbortController();
  let told = '';
  let fullRoundAt = performance.now();
  let tidiedAt = performance.now();

  const tidy = async (): Promise<E.Either<StoreError, unknown>> => {
    if (performance.now() - tidiedAt < HOUSEKEEPING_MS) return E.right(undefined);
    tidiedAt = performance.now();
    return ports.keepHouse();
  };

  const round = async (): Promise<E.Either<StoreError, number>> => {
    const needed = await isNeeded(ports, performance.now() - fullRoundAt);
    if (E.isLeft(needed) || !needed.right) return E.map(() => 0)(needed);
    fullRoundAt = performance.now();
    return expireClaims(ports, options);
  };

  const rounds = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await pause(options.tickMs, stopping.signal);
      if (stopping.signal.aborted) return;
      const outcome = await round();
      const tidied = await tidy();
      const failed = [outcome, tidied].find(E.isLeft);
      const flaw = failed === undefined ? '' : explainStoreError(failed.left);
      if (flaw !== '' && flaw !== told) ports.log(`the reaper's round failed: ${flaw}`);
      told = flaw;
      if (failed !== undefined) await ports.findServer();
      if (E.isRight(outcome) && outcome.right > 0) options.onExpired?.();
    }
  };
  const running = rounds();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
