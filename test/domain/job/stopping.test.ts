import {
  at,
  attemptId,
  cancel,
  claim,
  deduplicated,
  enqueue,
  erase,
  fail,
  release,
  requeue,
  rootAt,
  start,
  succeed,
} from '../../support/given-commands.js';
import { after, event, given } from '../../support/job-specification.js';

const task = {
  taskId: `refreshLinks@-@0@-@NORMAL_TRIGGER@-@10.0.0.1@-@host-1-4711-${attemptId(1)}`,
};
const abandoned = after(enqueue(), claim(), start(), fail({ isRetryable: false }));

describe('CancelJob', () => {
  it('ends a job that waits, and tells when it would have been due', () => {
    given(after(enqueue({ notBefore: at(60) })))
      .when(cancel())
      .then(
        event('JobCancelled', {
          from: 'Waiting',
          reason: 'not wanted any more',
          dueAt: at(60),
          task: undefined,
          attempt: undefined,
        }),
      )
      .leaving('Cancelled', {}, { reason: 'not wanted any more' });
  });

  it('ends a claim', () => {
    given(after(enqueue(), claim()))
      .when(cancel())
      .then(event('JobCancelled', { from: 'Claimed', attempt: undefined }))
      .leaving('Cancelled');
  });

  it('ends a running attempt, whose report then comes too late', () => {
    given(after(enqueue(), claim(), start()))
      .when(cancel())
      .then(event('JobCancelled', { from: 'Running', attempt: 1, task }));
    given(after(enqueue(), claim(), start(), cancel()))
      .when(succeed())
      .isRefused({ _tag: 'LeaseLost', held: 'token-1', current: undefined });
  });

  it('is refused where the job has ended', () => {
    given(abandoned).when(cancel()).isRefused({ _tag: 'HasEnded', state: 'Abandoned' });
  });

  it('makes the reason storable', () => {
    given(after(enqueue()))
      .when(cancel('\u0000'))
      .then(event('JobCancelled', { reason: '\ufffd' }));
  });
});

describe('RequeueJob', () => {
  it('makes an abandoned job ready again, attempts from 0, behind what was enqueued before it', () => {
    given(abandoned)
      .when(requeue())
      .then(event('JobRequeued', { from: 'Abandoned', why: 'the page is back', task, enqueued: undefined }))
      .leaving(
        'Waiting',
        { attempts: 0, claims: 0, losses: 0, enqueuedRevision: 5n },
        { notBefore: undefined },
      );
  });

  it('carries the whole job where the tables had let go of it', () => {
    given(after(enqueue({ notBefore: at(60) }), cancel()))
      .when(requeue())
      .then(event('JobRequeued', { from: 'Cancelled', enqueued: enqueue({ notBefore: at(60) }).job }))
      .leaving('Waiting', { enqueuedRevision: 2n }, { notBefore: undefined });
  });

  it('says where the job stands in its queue', () => {
    const root = rootAt('20260301040000');
    given(after(enqueue({ dedup: deduplicated, root, class: 'low', priority: 4 }), cancel()))
      .when(requeue())
      .then(
        event('JobRequeued', {
          placement: {
            number: '7',
            class: 'low',
            priority: 4,
            enqueuedRevision: '2',
            dedup: deduplicated,
            root,
          },
        }),
      );
  });

  it('counts attempts anew, and still refers to the very first one', () => {
    const twice = after(
      enqueue(),
      claim(),
      start(),
      fail({ isRetryable: false }),
      requeue(),
      claim({ token: 'token-2', now: at(50) }),
    );
    given(twice)
      .when(start({ token: 'token-2', now: at(51), attemptId: attemptId(2) }))
      .then(event('AttemptStarted', { attempt: 1, originalTaskId: task.taskId }));
  });

  it('is refused where the job is on its way or has come to a good end', () => {
    given(after(enqueue())).when(requeue()).isRefused({ _tag: 'NotStopped', state: 'Waiting' });
    given(after(enqueue(), claim(), start(), succeed()))
      .when(requeue())
      .isRefused({ _tag: 'NotStopped', state: 'Succeeded' });
  });
});

describe('EraseJob', () => {
  it('ends a job that had not ended', () => {
    given(after(enqueue({ notBefore: at(60) })))
      .when(erase())
      .then(event('JobErased', { from: 'Waiting', subject: 'user-1', ended: false, dueAt: at(60) }))
      .leaving('Cancelled', {}, { reason: 'erased' });
    given(after(enqueue(), claim(), start()))
      .when(erase())
      .then(event('JobErased', { from: 'Running', ended: false, task }))
      .leaving('Cancelled');
  });

  it('leaves a job that has ended in its state', () => {
    given(abandoned)
      .when(erase())
      .then(event('JobErased', { from: 'Abandoned', ended: true }))
      .leaving('Abandoned', {}, { revision: 5n });
    given(after(enqueue(), claim(), start(), succeed()))
      .when(erase())
      .then(event('JobErased', { from: 'Succeeded', ended: true }))
      .leaving('Succeeded');
  });
});

describe('a sharded job before its first start', () => {
  const sharded = enqueue({ shardingItem: 3 });

  it('keeps its item in every event that names no task', () => {
    given(after(sharded, claim()))
      .when(release())
      .then(event('JobReleased', { shardingItem: 3, task: undefined }));
    given(after(sharded))
      .when(cancel())
      .then(event('JobCancelled', { shardingItem: 3, task: undefined }));
    given(after(sharded, claim(), start()))
      .when(cancel())
      .then(event('JobCancelled', { shardingItem: undefined }));
  });
});
