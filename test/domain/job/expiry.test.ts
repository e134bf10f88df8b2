import {
  at,
  attemptId,
  claim,
  enqueue,
  expire,
  fail,
  release,
  retry,
  runner,
  start,
} from '../../support/given-commands.js';
import { after, event, given } from '../../support/job-specification.js';

const running = after(enqueue(), claim(), start());
const held = (n: number) => [
  claim({ token: `token-${n}`, now: at(n * 100) }),
  start({ token: `token-${n}`, now: at(n * 100 + 1), attemptId: attemptId(n) }),
];
const lost = (n: number) => expire({ token: `token-${n}`, now: at(n * 100 + 40) });

describe('ExpireLease', () => {
  it('is refused while the lease lasts, its last moment included', () => {
    given(running)
      .when(expire({ now: at(32) }))
      .isRefused({ _tag: 'LeaseHeld', until: at(32) });
  });

  it('is refused while the renewals of the runner last', () => {
    given(running)
      .when(expire({ renewedUntil: at(50) }))
      .isRefused({ _tag: 'LeaseHeld', until: at(50) });
  });

  it('does not let an older renewal shorten the lease', () => {
    given(running)
      .when(expire({ now: at(31), renewedUntil: at(10) }))
      .isRefused({ _tag: 'LeaseHeld', until: at(32) });
  });

  it('forgives the first loss: the job is ready again at once', () => {
    given(running)
      .when(expire({ renewedUntil: at(35) }))
      .then(
        event('LeaseExpired', {
          from: 'Running',
          token: 'token-1',
          runner,
          leaseExpiresAt: at(32),
          lastRenewal: at(35),
          attempt: 1,
          startedAt: at(3),
          next: 'retry',
        }),
        event('RetryScheduled', { notBefore: at(40), why: 'the lease was lost' }),
      )
      .leaving('Waiting', { losses: 1, attempts: 1 });
  });

  it('backs off from the second loss in a row', () => {
    given(after(enqueue(), claim(), start(), expire(), ...held(2)))
      .when(lost(2))
      .then(
        event('LeaseExpired', { attempt: 2, next: 'retry' }),
        event('RetryScheduled', { notBefore: at(250), why: 'the lease was lost 2 times in a row' }),
      )
      .leaving('Waiting', { losses: 2 });
  });

  it('forgives a loss again once an attempt has come to its own end', () => {
    given(after(enqueue(), claim(), start(), expire(), ...held(2), fail({ token: 'token-2' }), ...held(3)))
      .when(expire({ token: 'token-3', now: at(340) }))
      .then(event('LeaseExpired'), event('JobAbandoned'));
    const patient = enqueue({ retry: { ...retry, maxAttempts: 9 } });
    given(after(patient, claim(), start(), expire(), ...held(2), fail({ token: 'token-2' }), ...held(3)))
      .when(lost(3))
      .then(event('LeaseExpired'), event('RetryScheduled', { notBefore: at(340) }));
  });

  it('abandons at the limit like any failure, and names the lost lease', () => {
    given(after(enqueue(), claim(), start(), expire(), ...held(2), lost(2), ...held(3)))
      .when(lost(3))
      .then(
        event('LeaseExpired', { attempt: 3, next: 'abandon' }),
        event('JobAbandoned', { from: 'Running', reason: 'lease-lost', attempts: 3 }),
      )
      .leaving('Abandoned', {}, { reason: 'lease-lost' });
  });

  it('does not count a claim that was never begun', () => {
    given(after(enqueue(), claim()))
      .when(expire())
      .then(
        event('LeaseExpired', { from: 'Claimed', attempt: undefined, task: undefined }),
        event('RetryScheduled', { from: 'Claimed' }),
      )
      .leaving('Waiting', { attempts: 0, claims: 1, losses: 1 });
  });

  it('never abandons for claims that were lost before they began', () => {
    const once = enqueue({ retry: { ...retry, maxAttempts: 1 } });
    const unbegun = [2, 3, 4].flatMap((n) => [claim({ token: `token-${n}`, now: at(n * 100) }), lost(n)]);
    given(after(once, claim(), expire(), ...unbegun, claim({ token: 'token-5', now: at(500) })))
      .when(lost(5))
      .then(event('LeaseExpired', { next: 'retry' }), event('RetryScheduled', { notBefore: at(600) }))
      .leaving('Waiting', { attempts: 0, losses: 5 });
  });

  it('is refused where the claim is gone: the reaper read too early', () => {
    given(after(enqueue(), claim(), release()))
      .when(expire())
      .isRefused({ _tag: 'LeaseLost', held: 'token-1', current: undefined });
  });
});
