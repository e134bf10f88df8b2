// Whose word counts where handler and producer both say how failures are tried again; and attempts that were put off.
import { at, claim, enqueue, fail, release, retry, start } from '../../support/given-commands.js';
import { after, event, given } from '../../support/job-specification.js';

const handlers = {
  maxAttempts: 9,
  backoff: { kind: 'fixed', firstMs: 500, capMs: 500, jitter: 0 },
} as const;

describe('a job whose producer said its own limit or back-off', () => {
  it('keeps its own limit, with the back-off of the handler', () => {
    given(after(enqueue({ ownRetry: ['maxAttempts'] })))
      .when(claim({ retry: handlers }))
      .then(event('JobClaimed', { retry: { maxAttempts: 3, backoff: handlers.backoff } }));
  });

  it('keeps its own back-off, with the limit of the handler', () => {
    given(after(enqueue({ ownRetry: ['backoff'] })))
      .when(claim({ retry: handlers }))
      .then(event('JobClaimed', { retry: { maxAttempts: 9, backoff: retry.backoff } }));
  });

  it('keeps both, whatever was in force for an earlier claim', () => {
    const history = after(
      enqueue({ ownRetry: ['maxAttempts', 'backoff'] }),
      claim({ retry: handlers }),
      release(),
    );
    given(history)
      .when(claim({ token: 'token-2', now: at(5), retry: handlers }))
      .then(event('JobClaimed', { retry: undefined }))
      .leaving('Claimed', { retry });
  });

  it('gets one attempt all the same where the handler allows no retries', () => {
    const once = { ...retry, maxAttempts: 1 };
    given(after(enqueue({ ownRetry: ['maxAttempts'] })))
      .when(claim({ retry: once, allowsRetries: false }))
      .then(event('JobClaimed', { retry: once }));
  });
});

describe('a failure whose handler says itself how long to wait', () => {
  it('is tried again after exactly that time', () => {
    given(after(enqueue(), claim(), start()))
      .when(fail({ delayMs: 7_000, now: at(4) }))
      .then(event('AttemptFailed', { next: 'retry' }), event('RetryScheduled', { notBefore: at(11) }));
  });
});

describe('an attempt that its handler put off', () => {
  const putOff = release({ why: 'read-only', notBefore: at(60) });

  it('leaves the job waiting until then, neither attempt nor claim counted', () => {
    given(after(enqueue(), claim(), start()))
      .when(putOff)
      .then(event('JobReleased', { notBefore: at(60), why: 'read-only', attempt: 1, claims: 0 }))
      .leaving('Waiting', { attempts: 0, claims: 0 }, { notBefore: at(60) });
  });

  it('keeps the job from being claimed before that time', () => {
    const history = after(enqueue(), claim(), start(), putOff);
    given(history)
      .when(claim({ token: 'token-2', now: at(59) }))
      .isRefused({ _tag: 'NotDue', notBefore: at(60) });
    given(history)
      .when(claim({ token: 'token-2', now: at(60) }))
      .then(event('JobClaimed', { dueAt: at(60), claims: 1 }));
  });
});
