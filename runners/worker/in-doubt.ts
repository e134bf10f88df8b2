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

export interface InDoubtPorts {
  readonly store: Pick<EventStore, 'readStreams'>;
  readonly log: (line: string) => void;
}

/** Tried together, for queues of one class. */
export interface Doubt {
  readonly tried: readonly TriedClaim[];
  readonly rank: number;
}

export interface Looked {
  /** They stand. */
  readonly held: readonly HeldJob[];
  /** They do not, and nothing else has become of their jobs. */
  readonly open: readonly TriedClaim[];
}

export const lookAt = async (
  { store }: Pick<InDoubtPorts, 'store'>,
  { tried, rank }: Doubt,
): Promise<E.Either<StoreError, Looked>> => {
  const states = await loadJobs(
    store,
    tried.map(({ jobId }) => jobId),
  );
  if (E.isLeft(states)) return states;
  const looked: { held: HeldJob[]; open: TriedClaim[] } = { held: [], open: [] };
  for (const claim of tried) {
    const state = states.right.get(claim.jobId);
    if (state === undefined || E.isLeft(state)) continue;
    const { right } = state;
    if (right._tag === 'Waiting') looked.open.push(claim);
    else if ((right._tag === 'Claimed' || right._tag === 'Running') && right.claim.token === claim.token)
      looked.held.push(held(claim.jobId, right, rank, undefined));
  }
  return E.right(looked);
};

/**
 * The connection went away around the commit: whether the claims stand is read from their streams. A claim that was forgotten would be
 * kept alive by this runner's own renewals.
 */
export const inDoubt = async (
  ports: InDoubtPorts,
  failure: E.Left<StoreError>,
  doubt: Doubt,
  lost: AbortSignal,
): Promise<E.Either<StoreError, Looked>> => {
  if (doubt.tried.length === 0 || failure.left._tag !== 'Unavailable') return failure;
  ports.log(`${doubt.tried.length} claims are in doubt: ${failure.left.message}`);
  const retries = backOff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  while (!lost.aborted) {
    const looked = await lookAt(ports, doubt);
    if (E.isRight(looked)) return looked;
    await pause(retries.next(), lost);
  }
  return failure;
};
