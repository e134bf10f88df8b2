import { addMilliseconds } from '../../../domain/instant.js';
import {
  at,
  attemptId,
  claim,
  enqueue,
  fail,
  otherRunner,
  release,
  retry,
  runner,
  start,
  succeed,
} from '../../support/given-commands.js';
import { after, event, given } from '../../support/job-specification.js';

const claimed = after(enqueue(), claim());

describe('ClaimJob', () => {
  it('gives a waiting job to one runner under a lease', () => {
    given(after(enqueue()))
      .when(claim())
      .then(
        event('JobClaimed', {
          from: 'Waiting',
          token: 'token-1',
          claims: 1,
          claimedAt: at(2),
          runner,
          leaseExpiresAt: at(32),
          dueAt: undefined,
          retry: undefined,
          ignoreDuplicates: undefined,
          isDeduplicated: undefined,
        }),
      )
      .leaving('Claimed', { claims: 1, attempts: 0, everClaimed: true });
  });

  it('is refused while another holds the claim', () => {
    given(claimed)
      .when(claim({ token: 'token-2', runner: otherRunner }))
      .isRefused({ _tag: 'NotWaiting', state: 'Claimed' });
  });

  it('is refused before the job is due, and given at that very moment', () => {
    const delayed = after(enqueue({ notBefore: at(60) }));
    given(delayed)
      .when(claim({ now: at(59.999) }))
      .isRefused({ _tag: 'NotDue', notBefore: at(60) });
    given(delayed)
      .when(claim({ now: at(60) }))
      .then(event('JobClaimed', { dueAt: at(60) }));
  });

  it('puts the policy of the handler in force, and says so only where it differs', () => {
    const handlers = { ...retry, maxAttempts: 9 };
    given(after(enqueue()))
      .when(claim({ retry: handlers }))
      .then(event('JobClaimed', { retry: handlers }))
      .leaving('Claimed', { retry: handlers });
    given(after(enqueue()))
      .when(claim({ retry: { ...retry, backoff: { ...retry.backoff } } }))
      .then(event('JobClaimed', { retry: undefined }));
  });

  it('leaves the policy as it was where the handler allows fewer attempts than were made', () => {
    given(after(enqueue(), claim(), start(), fail()))
      .when(claim({ token: 'token-2', now: at(20), retry: { ...retry, maxAttempts: 1 } }))
      .then(event('JobClaimed', { retry: undefined }))
      .leaving('Claimed', { retry, attempts: 1 });
  });

  it('notes that the handler ignores duplicates where the enqueue did not say so', () => {
    given(after(enqueue()))
      .when(claim({ ignoreDuplicates: true }))
      .then(event('JobClaimed', { ignoreDuplicates: true, isDeduplicated: undefined }))
      .leaving('Claimed', { ignoreDuplicates: true });
  });
});

describe('the fence', () => {
  const later = after(enqueue(), claim(), release(), claim({ token: 'token-2', now: at(5) }));
  const reports = [start(), succeed(), fail(), release()];

  for (const report of reports) {
    it(`refuses ${report._tag} with a token that is no longer the current one`, () => {
      given(later).when(report).isRefused({ _tag: 'LeaseLost', held: 'token-1', current: 'token-2' });
    });
  }

  it('knows no current token where nobody holds the job', () => {
    given(after(enqueue(), claim(), release()))
      .when(start())
      .isRefused({ _tag: 'LeaseLost', held: 'token-1', current: undefined });
  });

  it('refuses the second of two reports', () => {
    given(after(enqueue(), claim(), start(), succeed()))
      .when(succeed())
      .isRefused({ _tag: 'LeaseLost', held: 'token-1', current: undefined });
  });
});

describe('ReleaseClaim', () => {
  it('gives back a claim that was not begun, as if it had never been', () => {
    given(claimed)
      .when(release())
      .then(
        event('JobReleased', {
          from: 'Claimed',
          claims: 0,
          why: 'the runner stops',
          task: undefined,
          attempt: undefined,
          completedAt: undefined,
        }),
      )
      .leaving('Waiting', { claims: 0, attempts: 0, everClaimed: true }, { notBefore: undefined });
  });

  it('does not count an attempt that was interrupted, but tells of it', () => {
    given(after(enqueue(), claim(), start()))
      .when(release({ now: at(9) }))
      .then(event('JobReleased', { from: 'Running', attempt: 1, startedAt: at(3), completedAt: at(9) }))
      .leaving('Waiting', { claims: 0, attempts: 0 });
  });

  it('lets the interrupted attempt be made again under the same number', () => {
    given(after(enqueue(), claim(), start(), release(), claim({ token: 'token-2', now: at(5) })))
      .when(start({ token: 'token-2', now: at(6), attemptId: attemptId(2) }))
      .then(event('AttemptStarted', { attempt: 1, startedAt: at(6) }));
  });

  it('makes the reason storable', () => {
    given(claimed)
      .when(release({ why: 'NUL \u0000 and half \ud83d' }))
      .then(event('JobReleased', { why: 'NUL \ufffd and half \ufffd' }));
  });

  it('keeps the lease as it was given', () => {
    given(after(enqueue()))
      .when(claim({ leaseExpiresAt: addMilliseconds(at(2), 5_000) }))
      .then(event('JobClaimed', { leaseExpiresAt: at(7) }));
  });
});
