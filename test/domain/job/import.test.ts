import {
  at,
  claim,
  expire,
  fail,
  imported,
  importRow,
  requeue,
  retry,
  start,
} from '../../support/given-commands.js';
import { IMPORTED_RUNNER } from '../../../domain/job/decide-import.js';
import { after, event, given, nothing } from '../../support/job-specification.js';

const held = { token: 'b'.repeat(32), claimedAt: at(-60), leaseExpiresAt: at(3_540) };

describe('ImportJob', () => {
  it('makes a waiting job of a row that nobody had claimed', () => {
    given(nothing)
      .when(importRow())
      .then(event('JobEnqueued', { imported }))
      .leaving('Waiting', { attempts: 0, claims: 0, everClaimed: false });
  });

  it('keeps the attempts of a row that was given back', () => {
    given(nothing)
      .when(importRow({ attempts: 2 }))
      .then(event('JobEnqueued'))
      .leaving('Waiting', { attempts: 2, claims: 2, everClaimed: true });
  });

  it('honours the claim of a claimed row until its lease would have run out there', () => {
    given(nothing)
      .when(importRow({ attempts: 1, token: held.token }, { claim: held }))
      .then(
        event('JobEnqueued'),
        event('JobClaimed', { ...held, claims: 1, runner: IMPORTED_RUNNER, imported: true }),
      )
      .leaving('Claimed', { attempts: 1, claims: 1 });
    given(after(importRow({ attempts: 1 }, { claim: held })))
      .when(expire({ token: held.token, now: at(3_540) }))
      .isRefused({ _tag: 'LeaseHeld', until: at(3_540) });
  });

  it('lets a claim that ran out in the old table be claimed here, as the second attempt', () => {
    const taken = after(
      importRow({ attempts: 1 }, { claim: held }),
      expire({ token: held.token, now: at(3_541) }),
      claim({ now: at(3_542) }),
    );
    given(taken)
      .when(start({ now: at(3_543) }))
      .then(event('AttemptStarted', { attempt: 2, executionSource: 'FAILOVER', originalTaskId: undefined }));
  });

  it('keeps an abandoned row abandoned, with its attempts', () => {
    given(nothing)
      .when(importRow({ attempts: 3, token: held.token }, { claim: held, isAbandoned: true }))
      .then(
        event('JobEnqueued'),
        event('JobClaimed', { claims: 3 }),
        event('JobAbandoned', {
          from: 'Claimed',
          reason: 'attempts-exhausted',
          attempts: 3,
          imported: true,
        }),
      )
      .leaving('Abandoned', { attempts: 3 });
  });

  it('lets an abandoned row be made ready again from nothing', () => {
    given(after(importRow({ attempts: 3 }, { claim: held, isAbandoned: true })))
      .when(requeue())
      .then(event('JobRequeued'))
      .leaving('Waiting', { attempts: 0, claims: 0 });
  });

  it('tells of a claimed row that had a due time that it waits for it no more', () => {
    const row = importRow({ attempts: 1 }, { claim: held });
    given(nothing)
      .when({ ...row, job: { ...row.job, notBefore: at(-120) } })
      .then(event('JobEnqueued', { notBefore: at(-120) }), event('JobClaimed', { dueAt: at(-120) }));
  });

  it('adds nothing the second time', () => {
    given(after(importRow())).when(importRow()).isRefused({ _tag: 'AlreadyEnqueued' });
  });

  it('gives an unclaimed row whose attempts are used up the one more that it would get there', () => {
    const usedUp = after(importRow({ attempts: 3 }));
    given(usedUp)
      .when(claim({ retry }))
      .then(event('JobClaimed', { retry: { ...retry, maxAttempts: 4 } }));
    given(after(importRow({ attempts: 3 }), claim({ retry }), start()))
      .when(fail())
      .then(event('AttemptFailed', { attempt: 4, next: 'abandon' }), event('JobAbandoned', { attempts: 4 }));
  });
});
