/** Claims whose answer was lost with the connection. */
import { backOff } from '../../adapters/back-off.js';
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { EventStore } from '../../domain/ports.js';
import { pause } from '../../adapters/pause.js';
import { loadJobs } from '../streams/job-streams.js';
import type { TriedClaim } from './claiming.js';
import { held, type HeldJob } from './holding.js';

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 1_000;
/** Nobody knows any more what they were picked for. */
const FIRST_RANK = 0;

export interface InDoubtPorts {
  readonly store: Pick<EventStore, 'readStreams'>;
  readonly log: (line: string) => void;
}

/**
 * The connection went away around the commit: whether the claims stand is read from their streams. A claim that was forgotten would be
 * kept alive by this runner's own renewals.
 */
export const inDoubt = async (
  { store, log }: InDoubtPorts,
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
          return isHeld && right.claim.token === token ? [held(jobId, right, FIRST_RANK, undefined)] : [];
        }),
      );
    }
    await pause(retries.next(), lost);
  }
  return failure;
};
