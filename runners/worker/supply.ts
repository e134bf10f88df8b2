/** Claims ahead of the free slots: which queues are known to be ready, and what became of claims whose answer was lost. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { EventStore } from '../../domain/ports.js';
import type { ClaimDesk, QueueScope, ReadyQueue } from '../../projections/ports.js';
import { loadJobs } from '../streams/job-streams.js';
import { backOff } from '../../adapters/back-off.js';
import { pause } from '../../adapters/pause.js';
import type { ClaimOptions } from './candidate.js';
import { claimPicked, type ClaimBatch, type TriedClaim } from './claiming.js';
import { held, type HeldJob } from './holding.js';
import { nextPicks } from './rotation.js';

const MOST_PICKED = 1_000;
const REFRESH_MS = 1_000;
/** News comes with every append, this runner's own too: the queues are not read anew for each. */
const REFRESH_ON_NEWS_MS = 50;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 1_000;

export interface SupplyPorts {
  readonly desk: ClaimDesk;
  readonly store: Pick<EventStore, 'readStreams'>;
  readonly log: (line: string) => void;
}

/** `isDry`: no queue in scope had anything to give. */
export type Supplied = ClaimBatch & { readonly isDry: boolean };

export interface Supply {
  /** Up to `limit` claims, of which so many may be started at once. */
  readonly claim: (limit: number, startable: number) => Promise<E.Either<StoreError, Supplied>>;
  /** Forgets which queues were ready: something may have come. */
  readonly refresh: () => void;
}

const nothing: ClaimBatch = { claimed: [], superseded: 0, picked: 0, twins: 0 };

export const supply = (
  ports: SupplyPorts,
  scope: QueueScope,
  options: () => Omit<ClaimOptions, 'most' | 'startable'>,
): Supply => {
  let queues: readonly ReadyQueue[] = [];
  let readAt = -Infinity;
  let hasNews = false;
  let turn = 0;
  /** Twins met by the last pick: the next one reaches behind them. */
  let twins = 0;

  const readyQueues = async (): Promise<E.Either<StoreError, readonly ReadyQueue[]>> => {
    const age = performance.now() - readAt;
    if (queues.length > 0 && age < (hasNews ? REFRESH_ON_NEWS_MS : REFRESH_MS)) return E.right(queues);
    hasNews = false;
    const read = await ports.desk.readyQueues(scope)();
    if (E.isRight(read)) {
      queues = read.right;
      readAt = performance.now();
    }
    return read;
  };

  return {
    refresh: () => {
      hasNews = true;
    },
    claim: async (limit, startable) => {
      const ready = await readyQueues();
      if (E.isLeft(ready)) return ready;
      const reach = Math.min(MOST_PICKED, limit + 2 * twins);
      const picks = nextPicks(ready.right, reach, turn);
      if (picks.length === 0) return E.right({ ...nothing, isDry: true });
      turn += 1;
      const tried: TriedClaim[] = [];
      const batch = E.flatten(
        await ports.desk.withPicked(picks, (session) =>
          claimPicked(session, { ...options(), most: limit, startable }, tried),
        )(),
      );
      if (E.isLeft(batch)) return E.map(asSupplied)(await inDoubt(ports, batch, tried, options().lost));
      const { claimed, superseded, picked } = batch.right;
      twins = batch.right.twins;
      const isExhausted = picked === 0 || (claimed.length + superseded === 0 && picked < reach);
      // Queues that gave nothing are left out until they are looked for again, so that those behind them get their turn.
      if (isExhausted) queues = queues.filter((queue) => !picks.some((pick) => pick.queue === queue));
      return E.right({ ...batch.right, isDry: queues.length === 0 && picked === 0 });
    },
  };
};

const asSupplied = (claimed: readonly HeldJob[]): Supplied => ({
  claimed,
  superseded: 0,
  picked: claimed.length,
  twins: 0,
  isDry: false,
});

/**
 * The connection went away around the commit: whether the claims stand is read from their streams. A claim that was forgotten would be
 * kept alive by this runner's own renewals.
 */
const inDoubt = async (
  { store, log }: SupplyPorts,
  failure: E.Left<StoreError>,
  tried: readonly TriedClaim[],
  lost: AbortSignal,
): Promise<E.Either<StoreError, readonly HeldJob[]>> => {
  if (tried.length === 0 || failure.left._tag !== 'Unavailable') return failure;
  log(`${tried.length} claims are in doubt: ${failure.left.message}`);
  const retries = backOff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  while (!lost.aborted) {
    const states = await loadJobs(
      store,
      tried.map(({ jobId }) => jobId),
    );
    if (E.isRight(states)) {
      return E.right(
        tried.flatMap(({ jobId, token }) => {
          const state = states.right.get(jobId);
          if (state === undefined || E.isLeft(state)) return [];
          const { right } = state;
          const isHeld = right._tag === 'Claimed' || right._tag === 'Running';
          return isHeld && right.claim.token === token ? [held(jobId, right)] : [];
        }),
      );
    }
    await pause(retries.next(), lost);
  }
  return failure;
};
