import {
  at,
  claim,
  deduplicated,
  enqueue,
  fail,
  importRow,
  requeue,
  rootAt,
  start,
} from '../../support/given-commands.js';
import { after, event, given } from '../../support/job-specification.js';

const equal = { jobId: 'job-9' };
const own = rootAt('20260301040000');
const waiting = after(enqueue({ dedup: deduplicated }));

describe('supersession by an equal job that was executed later', () => {
  it('takes the place of a claim', () => {
    given(waiting)
      .when(claim({ executedLater: equal }))
      .then(event('JobSuperseded', { from: 'Waiting', rule: 'executed-later', by: 'job-9', task: undefined }))
      .leaving('Superseded', {}, { by: 'job-9' });
  });

  it('holds for a job whose handler ignores duplicates, and for an imported one', () => {
    given(after(enqueue()))
      .when(claim({ executedLater: equal, ignoreDuplicates: true }))
      .then(event('JobSuperseded'));
    given(after(importRow()))
      .when(claim({ executedLater: equal, ignoreDuplicates: true }))
      .then(event('JobSuperseded'));
  });

  it('does not concern a job that does not ignore duplicates', () => {
    given(after(enqueue()))
      .when(claim({ executedLater: equal }))
      .then(event('JobClaimed'));
  });

  it('does not concern a job enqueued in the transaction of its caller', () => {
    given(after(enqueue({ dedup: deduplicated, inCallersTransaction: true })))
      .when(claim({ executedLater: equal }))
      .then(event('JobClaimed'));
  });

  it('does not concern a job whose root is newer than that of the executed one', () => {
    const job = after(enqueue({ dedup: deduplicated, root: own }));
    for (const rootTimestamp of ['20260301035959', undefined]) {
      given(job)
        .when(claim({ executedLater: { jobId: 'job-9', rootTimestamp } }))
        .then(event('JobClaimed'));
    }
    given(job)
      .when(claim({ executedLater: { jobId: 'job-9', rootTimestamp: own.timestamp } }))
      .then(event('JobSuperseded', { rule: 'executed-later' }));
  });

  it('tells the due time that is given up, and the last task of a job that was tried', () => {
    given(after(enqueue({ dedup: deduplicated }), claim(), start(), fail()))
      .when(claim({ token: 'token-2', now: at(20), executedLater: equal }))
      .then(
        event('JobSuperseded', {
          dueAt: at(14),
          task: {
            taskId:
              'refreshLinks@-@0@-@NORMAL_TRIGGER@-@10.0.0.1@-@host-1-4711-a0000000-0000-4000-8000-000000000001',
          },
        }),
      );
  });

  it('waits for the due time like the claim it replaces', () => {
    given(after(enqueue({ dedup: deduplicated, notBefore: at(60) })))
      .when(claim({ executedLater: equal }))
      .isRefused({ _tag: 'NotDue', notBefore: at(60) });
  });

  it('is final: such a job cannot be made ready again', () => {
    given(after(enqueue({ dedup: deduplicated }), claim({ executedLater: equal })))
      .when(requeue())
      .isRefused({ _tag: 'NotStopped', state: 'Superseded' });
  });
});

describe('supersession by a newer root of the family', () => {
  const newer = { jobId: 'root-9', timestamp: '20260301040001' };

  for (const [what, isSelf] of [
    ['root', true],
    ['leaf', false],
  ] as const) {
    it(`takes the place of a claim of a ${what}`, () => {
      given(after(enqueue({ root: { ...own, isSelf } })))
        .when(claim({ newerRoot: newer }))
        .then(event('JobSuperseded', { rule: 'newer-root', by: 'root-9' }))
        .leaving('Superseded');
    });
  }

  it('asks for a timestamp that is strictly later', () => {
    given(after(enqueue({ root: own })))
      .when(claim({ newerRoot: { jobId: 'root-9', timestamp: own.timestamp } }))
      .then(event('JobClaimed'));
  });

  it('does not concern a job of no family', () => {
    given(after(enqueue()))
      .when(claim({ newerRoot: newer }))
      .then(event('JobClaimed'));
  });

  it('does not concern a job enqueued in the transaction of its caller, which may have committed long after', () => {
    given(after(enqueue({ root: own, inCallersTransaction: true })))
      .when(claim({ newerRoot: newer }))
      .then(event('JobClaimed'));
  });
});
