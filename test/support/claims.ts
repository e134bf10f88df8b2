// A claim by hand, without a runner that renews it, and the reports on it.
import * as E from 'fp-ts/lib/Either.js';
import { newId, tokenOf } from '../../adapters/system.js';
import { addMilliseconds } from '../../domain/instant.js';
import type { Runner } from '../../domain/job/facts.js';
import type { Ledger } from '../../runners/ledger.js';
import { right } from './ledger-database.js';
import { act } from './ledger.js';

export const runnerNamed = (id: string): Runner => ({ id, host: 'host', ip: '10.0.0.1', instance: '1' });

export interface ClaimByHand {
  readonly token: string;
  readonly start: () => ReturnType<typeof act>;
  readonly succeed: () => ReturnType<typeof act>;
  readonly fail: () => ReturnType<typeof act>;
  readonly release: () => ReturnType<typeof act>;
}

/** The claim stands until `leaseMs` have passed on the database's clock; nobody renews it. */
export const claimed = async (
  ledger: Ledger,
  jobId: string,
  { runner = runnerNamed(newId()), leaseMs = 60_000 }: { runner?: Runner; leaseMs?: number } = {},
): Promise<ClaimByHand> => {
  const token = tokenOf(newId());
  const now = await right(ledger.index.now());
  const leaseExpiresAt = addMilliseconds(now, leaseMs);
  const claim = { _tag: 'ClaimJob', token, now, runner, leaseExpiresAt, ignoreDuplicates: false } as const;
  const outcome = await act(ledger, jobId, claim);
  if (E.isLeft(outcome)) throw new Error(`the claim was refused: ${outcome.left._tag}`);
  const report = {
    token,
    durationMs: 1,
    get now() {
      return ledger.clock.now();
    },
  };
  return {
    token,
    start: () =>
      act(ledger, jobId, { ...report, _tag: 'StartAttempt', attemptId: newId(), misfireToleranceMs: 60_000 }),
    succeed: () => act(ledger, jobId, { ...report, _tag: 'SucceedAttempt' }),
    fail: () =>
      act(ledger, jobId, {
        ...report,
        _tag: 'FailAttempt',
        error: { name: 'Error', message: 'by hand' },
        isRetryable: true,
        random: 0.5,
      }),
    release: () => act(ledger, jobId, { ...report, _tag: 'ReleaseClaim', why: 'by hand' }),
  };
};
