import {
  at,
  cancel,
  claim,
  deduplicated,
  enqueue,
  release,
  requeue,
  rootAt,
  rootParams,
  start,
  succeed,
  suppress,
} from '../../support/given-commands.js';
import { after, event, given } from '../../support/job-specification.js';

const waiting = after(enqueue({ dedup: deduplicated }));
const early = rootAt('20260301040000');
const late = rootAt('20260301050000');
const rootJob = enqueue({ dedup: deduplicated, root: early, params: { a: 1, ...rootParams(early) } });

describe('SuppressDuplicate', () => {
  it('tells on the stream of the survivor who enqueued its equal', () => {
    given(waiting)
      .when(suppress({ requestId: 'request-9' }))
      .then(
        event('DuplicateSuppressed', {
          producer: 'producer-2',
          requestId: 'request-9',
          at: at(1),
          inherited: {},
          params: undefined,
          paramsDigest: 'digest-of-params',
          renewed: undefined,
        }),
      )
      .leaving('Waiting', { suppressed: 1, params: { pages: [1, 2] } });
  });

  it('keeps the params of the suppressed job where they differ', () => {
    given(waiting)
      .when(suppress({ params: { pages: [1, 2], requestId: 'x' } }))
      .then(
        event('DuplicateSuppressed', { params: { pages: [1, 2], requestId: 'x' }, paramsDigest: undefined }),
      );
  });

  const others: readonly (readonly [
    string,
    ReturnType<typeof after>,
    'Claimed' | 'Succeeded' | 'Waiting',
  ])[] = [
    ['is claimed', after(enqueue(), claim()), 'Claimed'],
    ['has succeeded', after(enqueue(), claim(), start(), succeed()), 'Succeeded'],
    ['waits, but was claimed once', after(enqueue(), claim(), release()), 'Waiting'],
  ];
  for (const [how, past, state] of others) {
    it(`is refused where the job ${how}`, () => {
      given(past).when(suppress()).isRefused({ _tag: 'NotASurvivor', state });
    });
  }

  describe('inheritance', () => {
    it('raises the root timestamp, in the params that the handler is given too', () => {
      given(after(rootJob))
        .when(suppress({ root: late, params: { a: 1, ...rootParams(late) } }))
        .then(
          event('DuplicateSuppressed', {
            inherited: { rootTimestamp: late.timestamp },
            renewed: { params: { a: 1, ...rootParams(late) } },
          }),
        )
        .leaving('Waiting', { root: late, params: { a: 1, ...rootParams(late) } });
    });

    it('never lowers the root timestamp', () => {
      given(after(enqueue({ dedup: deduplicated, root: late })))
        .when(suppress({ root: early }))
        .then(event('DuplicateSuppressed', { inherited: {}, renewed: undefined }))
        .leaving('Waiting', { root: late });
    });

    it('takes a higher class together with its priority', () => {
      given(waiting)
        .when(suppress({ class: 'high', priority: 5 }))
        .then(event('DuplicateSuppressed', { inherited: { class: 'high', priority: 5 } }))
        .leaving('Waiting', { class: 'high', priority: 5 });
    });

    it('takes a smaller number of the same class, which goes first', () => {
      given(waiting)
        .when(suppress({ priority: -3 }))
        .then(event('DuplicateSuppressed', { inherited: { priority: -3 } }))
        .leaving('Waiting', { class: 'normal', priority: -3 });
    });

    it('keeps its own place where the suppressed job was less urgent', () => {
      for (const command of [suppress({ priority: 4 }), suppress({ class: 'low', priority: -9 })]) {
        given(waiting)
          .when(command)
          .then(event('DuplicateSuppressed', { inherited: {} }))
          .leaving('Waiting', { class: 'normal', priority: 0 });
      }
    });

    const delayed = after(enqueue({ dedup: deduplicated, notBefore: at(600) }));

    it('takes an earlier due time, and tells the one it had', () => {
      given(delayed)
        .when(suppress({ notBefore: at(60) }))
        .then(
          event('DuplicateSuppressed', {
            inherited: { notBefore: at(60) },
            dueBefore: at(600),
            dueAfter: at(60),
          }),
        )
        .leaving('Waiting', {}, { notBefore: at(60) });
    });

    it('takes no due time at all for now', () => {
      given(delayed)
        .when(suppress({ now: at(5) }))
        .then(event('DuplicateSuppressed', { inherited: { notBefore: at(5) } }))
        .leaving('Waiting', {}, { notBefore: at(5) });
    });

    it('keeps its due time where the suppressed job would have come later, or where it is due anyway', () => {
      for (const notBefore of [at(600), at(601)]) {
        given(delayed)
          .when(suppress({ notBefore }))
          .then(event('DuplicateSuppressed', { inherited: {}, dueBefore: undefined, dueAfter: undefined }))
          .leaving('Waiting', {}, { notBefore: at(600) });
      }
      given(waiting)
        .when(suppress({ notBefore: at(60) }))
        .then(event('DuplicateSuppressed', { inherited: {} }))
        .leaving('Waiting', {}, { notBefore: undefined });
    });

    it('survives cancelling and making ready again', () => {
      given(after(rootJob, suppress({ root: late, class: 'high', priority: 2 }), cancel()))
        .when(requeue())
        .then(event('JobRequeued'))
        .leaving('Waiting', { root: late, class: 'high', priority: 2 });
    });
  });

  describe('across families', () => {
    const ofAnother = { ...late, signature: 'family-b' };
    const newer = { jobId: 'root-3', timestamp: '20260301060000' };

    it('has the survivor stand for a job that no newer root of its own family covers', () => {
      for (const root of [ofAnother, undefined]) {
        given(after(rootJob))
          .when(suppress({ root }))
          .then(event('DuplicateSuppressed', { isOfOtherFamily: true }))
          .leaving('Waiting', { standsForOthers: true });
      }
    });

    it('then lets no newer root take the place of the survivor', () => {
      given(after(rootJob, suppress({ root: undefined })))
        .when(claim({ newerRoot: newer }))
        .then(event('JobClaimed'));
      given(after(rootJob, suppress({ root: late })))
        .when(claim({ newerRoot: newer }))
        .then(event('JobSuperseded', { rule: 'newer-root' }));
    });

    it('needs no such care where the survivor is of no family', () => {
      given(waiting)
        .when(suppress({ root: early }))
        .then(event('DuplicateSuppressed', { isOfOtherFamily: undefined, inherited: {} }))
        .leaving('Waiting', { root: undefined, standsForOthers: false });
    });
  });
});
