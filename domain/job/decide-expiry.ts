/** A lost lease goes through the retry limit like any failure; the first loss in a row is forgiven at once (DESIGN.md §5). */
import * as E from 'fp-ts/lib/Either.js';
import { defined } from '../defined.js';
import type { ExpireLease } from './commands.js';
import { retryScheduled } from './decide-attempt.js';
import type { JobRejection } from './errors.js';
import type { JobEvent } from './events.js';
import { abandoned, scopeOf, taskOf } from './event-parts.js';
import { dueAfterFailure } from './retry.js';
import type { Claimed, Running } from './state.js';

export const expireLease = (
  command: ExpireLease,
  state: Claimed | Running,
): E.Either<JobRejection, readonly JobEvent[]> => {
  const { job, claim } = state;
  const until =
    command.renewedUntil !== undefined && command.renewedUntil > claim.leaseExpiresAt
      ? command.renewedUntil
      : claim.leaseExpiresAt;
  if (until >= command.now) return E.left({ _tag: 'LeaseHeld', until });
  const isExhausted = job.attempts >= job.retry.maxAttempts;
  const next: 'abandon' | 'retry' = isExhausted ? 'abandon' : 'retry';
  const expired: JobEvent = {
    type: 'LeaseExpired',
    data: defined({
      ...scopeOf(state),
      ...taskOf(job),
      ...(state._tag === 'Running'
        ? { attempt: state.attempt.number, startedAt: state.attempt.startedAt }
        : {}),
      token: claim.token,
      runner: claim.runner,
      leaseExpiresAt: claim.leaseExpiresAt,
      lastRenewal: command.renewedUntil,
      next,
    }),
  };
  return E.right([expired, isExhausted ? abandoned(state, 'lease-lost') : again(command, state)]);
};

const again = (command: ExpireLease, state: Claimed | Running): JobEvent => {
  const losses = state.job.losses + 1;
  const notBefore =
    losses === 1 ? command.now : dueAfterFailure(state.job.retry, losses - 1, command.random, command.now);
  const why = losses === 1 ? 'the lease was lost' : `the lease was lost ${losses} times in a row`;
  return retryScheduled(state, notBefore, why);
};
