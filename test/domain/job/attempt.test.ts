import {
  at,
  attemptId,
  claim,
  deduplicated,
  enqueue,
  expire,
  fail,
  refuse,
  release,
  requeue,
  retry,
  rootAt,
  start,
  succeed,
} from '../../support/given-commands.js';
import { after, event, given } from '../../support/job-specification.js';

const claimed = after(enqueue(), claim());
const running = after(enqueue(), claim(), start());
const firstTask = `refreshLinks@-@0@-@NORMAL_TRIGGER@-@10.0.0.1@-@host-1-4711-${attemptId(1)}`;

/** The n-th round of claim and start, each a hundred seconds behind the one before. */
const again = (n: number) => [
  claim({ token: `token-${n}`, now: at(n * 100) }),
  start({ token: `token-${n}`, now: at(n * 100 + 1), attemptId: attemptId(n) }),
];

describe('StartAttempt', () => {
  it('counts the attempt, names the task and tells when it was due', () => {
    given(claimed)
      .when(start())
      .then(
        event('AttemptStarted', {
          from: 'Claimed',
          attempt: 1,
          taskId: firstTask,
          originalTaskId: undefined,
          executionSource: 'NORMAL_TRIGGER',
          shardingItem: 0,
          dueAt: at(0),
          startedAt: at(3),
          isRoot: undefined,
        }),
      )
      .leaving('Running', { attempts: 1, task: { taskId: firstTask } });
  });

  it('is refused where the attempt has begun', () => {
    given(running).when(start()).isRefused({ _tag: 'AlreadyStarted' });
  });

  it('refers to the first attempt in every further one', () => {
    given(after(enqueue(), claim(), start(), fail(), ...again(2), fail({ token: 'token-2', now: at(205) })))
      .when(claim({ token: 'token-3', now: at(300) }))
      .then(event('JobClaimed', { claims: 3 }));
    given(after(enqueue(), claim(), start(), fail(), ...again(2), fail({ token: 'token-2' }), ...again(3)))
      .when(succeed({ token: 'token-3' }))
      .then(event('AttemptSucceeded', { attempt: 3, originalTaskId: firstTask }));
  });

  it('is a misfire where a job with a due time begins later than is tolerated', () => {
    const due = after(enqueue({ notBefore: at(10) }), claim({ now: at(70) }));
    given(due)
      .when(start({ now: at(70.001) }))
      .then(event('AttemptStarted', { executionSource: 'MISFIRE', dueAt: at(10) }));
    given(due)
      .when(start({ now: at(70) }))
      .then(event('AttemptStarted', { executionSource: 'NORMAL_TRIGGER' }));
  });

  it('never calls a job late that nobody gave a time', () => {
    given(claimed)
      .when(start({ now: at(86_400) }))
      .then(event('AttemptStarted', { executionSource: 'NORMAL_TRIGGER', dueAt: at(0) }));
  });

  it('is no misfire when a retry comes late', () => {
    given(after(enqueue(), claim(), start(), fail(), claim({ token: 'token-2', now: at(900) })))
      .when(start({ token: 'token-2', now: at(901) }))
      .then(event('AttemptStarted', { executionSource: 'NORMAL_TRIGGER', dueAt: at(14) }));
  });

  it('is a failover where the previous holder lost the lease', () => {
    given(after(enqueue(), claim(), start(), expire(), claim({ token: 'token-2', now: at(41) })))
      .when(start({ token: 'token-2', now: at(42), attemptId: attemptId(2) }))
      .then(event('AttemptStarted', { attempt: 2, executionSource: 'FAILOVER', originalTaskId: firstTask }));
  });

  it('marks the attempts of a root, not those of a leaf', () => {
    const claimedOf = (isSelf: boolean) =>
      after(enqueue({ root: rootAt('20260301040000', isSelf) }), claim());
    given(claimedOf(true))
      .when(start())
      .then(event('AttemptStarted', { isRoot: true }));
    given(claimedOf(false))
      .when(start())
      .then(event('AttemptStarted', { isRoot: undefined }));
  });
});

describe('SucceedAttempt', () => {
  it('ends the job and says where in its history the attempt began', () => {
    given(running)
      .when(succeed({ result: { pages: 2 } }))
      .then(
        event('AttemptSucceeded', {
          from: 'Running',
          attempt: 1,
          taskId: firstTask,
          startedAt: at(3),
          completedAt: at(4),
          durationMs: 1_000,
          begunRevision: '2',
          result: { pages: 2 },
          sha1: undefined,
          number: undefined,
          rootTimestamp: undefined,
          spawned: undefined,
        }),
      )
      .leaving('Succeeded', {}, { begunRevision: 2n });
  });

  it('carries what later duplicates are judged by, where duplicates are ignored', () => {
    const root = rootAt('20260301040000');
    given(after(enqueue({ dedup: deduplicated, root }), claim(), start()))
      .when(succeed())
      .then(
        event('AttemptSucceeded', {
          sha1: deduplicated.sha1,
          number: '7',
          rootTimestamp: root.timestamp,
          isRoot: true,
        }),
      );
  });

  it('carries the children it spawned', () => {
    given(running)
      .when(succeed({ spawned: [{ type: 'leaf' }] }))
      .then(event('AttemptSucceeded', { spawned: [{ type: 'leaf' }] }));
  });

  it('is refused before the start', () => {
    given(claimed).when(succeed()).isRefused({ _tag: 'NotStarted' });
  });
});

describe('FailAttempt', () => {
  it('is followed by the retry it leads to, in the same answer', () => {
    given(running)
      .when(fail())
      .then(
        event('AttemptFailed', {
          attempt: 1,
          next: 'retry',
          error: { name: 'Error', message: 'no such page' },
        }),
        event('RetryScheduled', {
          from: 'Running',
          notBefore: at(14),
          why: 'attempt 1 of 3 failed',
          task: { taskId: firstTask },
        }),
      )
      .leaving('Waiting', { attempts: 1, claims: 1 }, { notBefore: at(14) });
  });

  it('waits twice as long behind the second failure', () => {
    given(after(enqueue(), claim(), start(), fail(), ...again(2)))
      .when(fail({ token: 'token-2', now: at(205) }))
      .then(event('AttemptFailed', { attempt: 2 }), event('RetryScheduled', { notBefore: at(225) }));
  });

  it('abandons the job once the limit of starts is reached', () => {
    given(after(enqueue(), claim(), start(), fail(), ...again(2), fail({ token: 'token-2' }), ...again(3)))
      .when(fail({ token: 'token-3', now: at(305) }))
      .then(
        event('AttemptFailed', { attempt: 3, next: 'abandon' }),
        event('JobAbandoned', { from: 'Running', reason: 'attempts-exhausted', attempts: 3 }),
      )
      .leaving('Abandoned', { attempts: 3, lastError: { name: 'Error', message: 'no such page' } });
  });

  it('counts starts, not claims: one given back leaves room for another', () => {
    const interrupted = after(
      enqueue({ retry: { ...retry, maxAttempts: 1 } }),
      claim(),
      start(),
      release(),
      ...again(2),
    );
    given(interrupted)
      .when(fail({ token: 'token-2' }))
      .then(event('AttemptFailed', { attempt: 1, next: 'abandon' }), event('JobAbandoned', { attempts: 1 }));
  });

  it('abandons at once what cannot be retried', () => {
    given(running)
      .when(fail({ isRetryable: false }))
      .then(event('AttemptFailed', { next: 'abandon' }), event('JobAbandoned', { reason: 'not-retryable' }))
      .leaving('Abandoned', {}, { reason: 'not-retryable' });
  });

  it('follows the policy that the handler put in force', () => {
    const once = { ...retry, maxAttempts: 1 };
    given(after(enqueue(), claim({ retry: once }), start()))
      .when(fail())
      .then(event('AttemptFailed', { next: 'abandon' }), event('JobAbandoned'));
  });

  it('is refused before the start', () => {
    given(claimed).when(fail()).isRefused({ _tag: 'NotStarted' });
  });

  it('forgets the losses before it: they are in a row no more', () => {
    given(after(enqueue(), claim(), start(), expire(), ...again(2)))
      .when(fail({ token: 'token-2' }))
      .then(event('AttemptFailed'), event('RetryScheduled'))
      .leaving('Waiting', { losses: 0, attempts: 2 });
  });
});

describe('RefuseParams', () => {
  it('abandons the job unrun, with the flaw', () => {
    given(claimed)
      .when(refuse())
      .then(
        event('JobAbandoned', {
          from: 'Claimed',
          reason: 'not-retryable',
          attempts: 0,
          error: { name: 'ParamsRefused', message: 'params.pages is missing' },
        }),
      )
      .leaving('Abandoned', { lastError: { name: 'ParamsRefused', message: 'params.pages is missing' } });
  });

  it('comes too late where the attempt has begun', () => {
    given(running).when(refuse()).isRefused({ _tag: 'AlreadyStarted' });
  });

  it('can be undone by hand', () => {
    given(after(enqueue(), claim(), refuse()))
      .when(requeue())
      .then(event('JobRequeued', { from: 'Abandoned' }))
      .leaving('Waiting', { attempts: 0 });
  });
});
