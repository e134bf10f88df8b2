// What `explain` tells of the stories that people ask about. Each list is the whole story, word for word.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { JobCommand } from '../../../domain/job/commands.js';
import { scopesOf, type Scope } from '../../../domain/queue/scope.js';
import type { QueueSettings } from '../../../domain/queue/settings.js';
import type { Pause } from '../../../projections/ports.js';
import { explainJob, type Explanation } from '../../../runners/reading/explain.js';
import type { Surroundings } from '../../../runners/reading/surroundings.js';
import {
  at,
  attemptId,
  cancel,
  claim,
  deduplicated,
  enqueue,
  erase,
  expire,
  fail,
  importRow,
  refuse,
  release,
  requeue,
  retry,
  rootAt,
  start,
  succeed,
  suppress,
} from '../../support/given-commands.js';
import { jobId, recordedStory } from './recorded-story.js';

const NOTHING: Surroundings = { settings: [], pauses: [], runners: [] };

const explained = (
  commands: readonly JobCommand[],
  now = at(1_000),
  around: Partial<Surroundings> = {},
): Explanation => {
  const explanation = explainJob(recordedStory(...commands), now, { ...NOTHING, ...around });
  if (E.isLeft(explanation)) throw new Error(explanation.left.message);
  if (explanation.right === undefined) throw new Error('there was nothing to explain');
  return explanation.right;
};

const story = (commands: readonly JobCommand[]): readonly string[] =>
  explained(commands).story.map(({ sentence }) => sentence);

/** The n-th claim and start, a hundred seconds behind the one before. */
const round = (n: number): readonly JobCommand[] => [
  claim({ token: `token-${n}`, now: at(n * 100) }),
  start({ token: `token-${n}`, now: at(n * 100 + 1), attemptId: attemptId(n) }),
];
const failed = (n: number): JobCommand => fail({ token: `token-${n}`, now: at(n * 100 + 2) });
const succeeded = (n: number): JobCommand =>
  succeed({ token: `token-${n}`, now: at(n * 100 + 2), durationMs: 1_250 });

describe('explainJob', () => {
  it('says what the job is, and about which page', () => {
    expect(explained([enqueue()]).what).to.equal(
      `Job 7 (${jobId}) is a "refreshLinks" job of the wiki "enwiki".`,
    );
    expect(explained([enqueue({ namespace: 0, title: 'Main_Page' })]).what).to.include(
      ', about the page "Main_Page" of namespace 0.',
    );
  });

  it('tells of a job that failed twice and then succeeded', () => {
    const told = explained([
      enqueue(),
      ...round(1),
      failed(1),
      ...round(2),
      failed(2),
      ...round(3),
      succeeded(3),
    ]);
    expect(told.story.map(({ sentence }) => sentence)).to.deep.equal([
      'Enqueued by shop.',
      'Claimed by the runner host-1-4711 on host-1, 1 min 40 s after it had become ready.',
      'Attempt 1 of at most 3 began.',
      'Attempt 1 failed after 1 s: Error: no such page.',
      'To be tried again 10 s later, at 2026-03-01 04:01:52.000 UTC: attempt 1 of 3 failed.',
      'Claimed by the runner host-1-4711 on host-1, 1 min 28 s after it had become ready.',
      'Attempt 2 of at most 3 began.',
      'Attempt 2 failed after 1 s: Error: no such page.',
      'To be tried again 20 s later, at 2026-03-01 04:03:42.000 UTC: attempt 2 of 3 failed.',
      'Claimed by the runner host-1-4711 on host-1, 1 min 18 s after it had become ready.',
      'Attempt 3 of at most 3 began.',
      'Attempt 3 succeeded after 1.3 s.',
    ]);
    expect(told.now).to.equal('It is done: attempt 3 succeeded.');
    expect(told.next).to.equal('Nothing more happens to it.');
  });

  it('says why a job was dropped for an equal one that succeeded, and which', () => {
    const told = explained([
      enqueue({ dedup: deduplicated }),
      claim({ executedLater: { jobId: 'the-other' } }),
    ]);
    expect(told.story.map(({ sentence }) => sentence)).to.deep.equal([
      'Enqueued by shop. Of equal jobs one run is enough.',
      'Dropped without a run (superseded, executed-later): the equal job the-other began after this one had been enqueued, and succeeded, so that its work is done.',
    ]);
    expect(told.now).to.equal('It was dropped, since job the-other does its work.');
    expect(told.next).to.equal('"jobledger explain the-other" tells what became of that one.');
  });

  it('says why a job was dropped for a newer root of its family, and which', () => {
    const newerRoot = { jobId: 'the-newer', timestamp: '20260301050000' };
    expect(story([enqueue({ root: rootAt('20260301040000', false) }), claim({ newerRoot })])).to.deep.equal([
      'Enqueued by shop. It is a leaf of the family family-a, with the timestamp 20260301040000: a newer root job of that family makes it needless.',
      'Dropped without a run (superseded, newer-root): the newer root job the-newer of its family does its work.',
    ]);
  });

  it('tells of equal jobs that were answered with this one, and what it took over from them', () => {
    const later = suppress({ class: 'high', priority: -2, notBefore: at(1_100) });
    const told = explained([enqueue({ notBefore: at(3_600) }), suppress({ notBefore: at(4_000) }), later]);
    expect(told.story.map(({ sentence }) => sentence)).to.deep.equal([
      'Enqueued by shop. It is not to run before 2026-03-01 05:00:00.000 UTC, 1 h later.',
      'An equal job, enqueued by producer-2, was answered with this one and not stored (suppressed).',
      'An equal job, enqueued by producer-2, was answered with this one and not stored (suppressed). This one took over the class high, the priority -2, the earlier due time 2026-03-01 04:18:20.000 UTC.',
    ]);
    expect(told.now).to.equal('It is waiting; it becomes due at 2026-03-01 04:18:20.000 UTC, in 1 min 40 s.');
    expect(told.next).to.equal(
      'From then on, a free runner with a handler for "refreshLinks" takes it, for attempt 1 of at most 3.',
    );
  });

  it('tells of a lost lease, and of the success that followed', () => {
    const lost = expire({ now: at(140), renewedUntil: at(135) });
    expect(story([enqueue(), ...round(1), lost, ...round(2), succeeded(2)]).slice(3)).to.deep.equal([
      'The runner host-1-4711 on host-1 did not renew its claim, which ended at 2026-03-01 04:02:15.000 UTC: the lease is lost. How much of attempt 1 it had done is not known.',
      'Made ready again at once: the lease was lost.',
      'Claimed by the runner host-1-4711 on host-1, 1 min after it had become ready.',
      'Attempt 2 of at most 3 began, in place of the runner that was lost (FAILOVER).',
      'Attempt 2 succeeded after 1.3 s.',
    ]);
  });

  it('tells why a job was abandoned', () => {
    const once = { ...retry, maxAttempts: 1 };
    const exhausted = explained([enqueue({ retry: once }), ...round(1), failed(1)]);
    expect(exhausted.story.at(-1)?.sentence).to.equal('Abandoned: its only attempt is used up.');
    expect(exhausted.now).to.equal('It is abandoned: it was attempted as often as it may be (1).');
    expect(exhausted.next).to.equal('It does not run again unless somebody makes it ready again.');

    const hopeless = fail({ now: at(102), isRetryable: false });
    expect(story([enqueue(), ...round(1), hopeless]).at(-1)).to.equal(
      'Abandoned: a failure of this kind is not tried again.',
    );
    expect(story([enqueue(), claim(), refuse()]).at(-1)).to.equal(
      'Abandoned: a failure of this kind is not tried again: ParamsRefused: params.pages is missing.',
    );
    expect(story([enqueue({ retry: once }), ...round(1), expire({ now: at(140) })]).at(-1)).to.equal(
      'Abandoned: the lease was lost, and its only attempt is used up.',
    );
  });

  it('tells where an imported job comes from, and that its old claim is honoured', () => {
    const held = { token: 'token-1', claimedAt: at(0), leaseExpiresAt: at(3_600) };
    const told = explained([importRow({ jobId: '4711', attempts: 2, timestamp: at(-60) }, { claim: held })]);
    expect(told.story.map(({ sentence }) => sentence)).to.deep.equal([
      'Imported from a MediaWiki job table, where it was row 4711, written at 2026-03-01 03:59:00.000 UTC and claimed 2 times.',
      'Its claim in the old table is honoured here, until 2026-03-01 05:00:00.000 UTC.',
    ]);
    expect(told.next).to.equal(
      'At 2026-03-01 05:00:00.000 UTC that claim ends, and the job becomes ready here.',
    );
  });

  it('tells of persons who stopped a job and made it ready again', () => {
    const told = explained([enqueue(), cancel(), requeue()]);
    expect(told.story.slice(1).map(({ sentence }) => sentence)).to.deep.equal([
      'Cancelled by operator: not wanted any more.',
      'Made ready again by operator: the page is back. Its attempts are counted from 1 again.',
    ]);
    expect(told.now).to.equal('It is waiting, and ready.');
    expect(explained([enqueue(), cancel()]).now).to.equal('It was cancelled.');
    expect(story([enqueue(), erase()]).at(-1)).to.equal(
      'Its params were erased by operator, for user-1; that ended the job.',
    );
  });

  it('tells who holds a job', () => {
    expect(explained([enqueue(), claim()]).now).to.equal(
      'It is claimed by the runner host-1-4711 on host-1, which has not begun to work on it.',
    );
    const runs = explained([enqueue(), ...round(1)], at(131));
    expect(runs.now).to.equal(
      'It is running: attempt 1 of at most 3, for 30 s, on the runner host-1-4711 on host-1.',
    );
    expect(story([enqueue(), ...round(1), release({ now: at(103), token: 'token-1' })]).at(-1)).to.equal(
      'Given back by its runner (the runner stops); the attempt that was cut short does not count.',
    );
  });

  it('tells a loss by the last renewal of the runner, not by the first end of the lease', () => {
    const next = (now: string, runners: Surroundings['runners'], commands = [enqueue(), ...round(1)]) =>
      explained(commands, now, { runners }).next;
    const id = 'runner-1';
    expect(next(at(200), [{ id, renewedUntil: at(215), isLost: false }])).to.equal(
      'If this attempt fails, it is tried again. Should its runner be lost, which shows when it has not renewed its claims by 2026-03-01 04:03:35.000 UTC, the job becomes ready for another.',
    );
    expect(
      next(at(105), [{ id, renewedUntil: at(102), isLost: false }], [enqueue(), claim({ now: at(100) })]),
      'an earlier renewal',
    ).to.equal(
      'Should its runner be lost, which shows when it has not renewed its claims by 2026-03-01 04:02:10.000 UTC, the job becomes ready for another.',
    );
    const over =
      'Its claim was not renewed and ended at 2026-03-01 04:03:35.000 UTC: any runner that is there makes the job ready for another.';
    for (const isLost of [true, false])
      expect(next(at(216), [{ id, renewedUntil: at(215), isLost }])).to.include(over);
    expect(next(at(105), [{ id: 'runner-2', renewedUntil: at(215), isLost: false }])).to.include(
      'Nobody renews its claim any more: it ends at 2026-03-01 04:02:10.000 UTC, and the job becomes ready for another.',
    );
  });

  describe('of a queue that is paused', () => {
    const pausedAs = (scope: Scope): Pause => ({ scope, since: at(10), by: 'ann', why: 'replicas behind' });
    const [ofQueue, ofType, ofWiki, ofAll] = scopesOf({ wiki: 'enwiki', type: 'refreshLinks' }).map(pausedAs);
    const given = (...pauses: readonly (Pause | undefined)[]) => ({
      pauses: pauses.filter((pause) => pause !== undefined),
    });

    it('says what is paused, by whom, since when and why, and how it is resumed', () => {
      const told = explained([enqueue()], at(20), given(ofType));
      expect(told.now).to.equal(
        'It is waiting, and would be ready, but its type (refreshLinks on every wiki) is paused, by ann since 2026-03-01 04:00:10.000 UTC: replicas behind.',
      );
      expect(told.next).to.equal(
        'It is not claimed until "jobledger resume --type refreshLinks" lifts that pause. Then, a free runner with a handler for "refreshLinks" takes it, for attempt 1 of at most 3.',
      );
    });

    it('names every pause that holds, and none of other queues', () => {
      const others = scopesOf({ wiki: 'frwiki', type: 'sendMail' }).slice(0, 3).map(pausedAs);
      const told = explained([enqueue()], at(20), given(ofQueue, ofWiki, ofAll, ...others));
      expect(told.now).to.match(
        /but its queue \(refreshLinks on enwiki\) is paused, .*; its wiki \(every type on enwiki\) is paused, .*; every queue is paused, by ann since/,
      );
      expect(told.next).to.include(
        'until "jobledger resume --wiki enwiki --type refreshLinks", "jobledger resume --wiki enwiki" and "jobledger resume --all" lift those pauses. ',
      );
      expect(explained([enqueue()], at(20), given(...others)).now).to.equal('It is waiting, and ready.');
    });

    it('says so of a job that is not due, and of one that is claimed', () => {
      const delayed = explained([enqueue({ notBefore: at(60) })], at(20), given(ofType));
      expect(delayed.now).to.match(
        /^It is waiting; it becomes due at .*, in 40 s, but its type .* is paused, .*: replicas behind\.$/,
      );
      expect(delayed.next).to.include('lifts that pause. Then, once it is due, a free runner');
      for (const commands of [
        [enqueue(), claim()],
        [enqueue(), ...round(1)],
      ])
        expect(explained(commands, at(20), given(ofType)).next).to.match(
          /A claim that stands runs on, but no new one is made until "jobledger resume --type refreshLinks" lifts that pause: its type /,
        );
      expect(explained([enqueue(), cancel()], at(20), given(ofType)).now).to.equal('It was cancelled.');
    });
  });

  it('names the limits that hold for its queue', () => {
    const [ofQueue, ofType, ofWiki] = scopesOf({ wiki: 'enwiki', type: 'refreshLinks' });
    const set = (scope: Scope | undefined, settings: QueueSettings) =>
      scope === undefined ? [] : [{ scope, settings }];
    const settings = [
      ...set(ofQueue, { class: 'low' }),
      ...set(ofType, { limits: { running: 4, perSecond: 50 } }),
      ...set(ofWiki, { limits: { itemsPerSecond: 100 } }),
      ...set({ wiki: 'frwiki', type: undefined }, { limits: { running: 1 } }),
    ];
    expect(explained([enqueue()], at(20), { settings }).next).to.match(
      / takes it, .* Limits hold: for its type \(refreshLinks on every wiki\) at most 4 running at once and 50 begun a second; for its wiki \(every type on enwiki\) at most 100 work items a second\.$/,
    );
  });

  it('names the event that history should not hold', () => {
    const [first, ...rest] = recordedStory(enqueue(), ...round(1));
    const broken = explainJob([...(first === undefined ? [] : [first]), ...rest.slice(1)], at(0), NOTHING);
    expect(E.isLeft(broken) && broken.left.message).to.equal(
      'AttemptStarted cannot follow the state Waiting',
    );
  });
});
