// What a producer's calls are answered: each job once under its id, equal ones by their survivor, bad ones without harm to the others.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { newId } from '../../../adapters/system.js';
import { unavailable } from '../../../domain/errors.js';
import { addMilliseconds } from '../../../domain/instant.js';
import { mediaWikiTimestamp } from '../../../domain/job/root.js';
import type { EnqueueAnswer, EnqueueOutcome } from '../../../runners/producer/enqueueing.js';
import type { Ledger } from '../../../runners/ledger.js';
import { producer, type Producer } from '../../../runners/producer/producer.js';
import { claimed } from '../../support/claims.js';
import {
  column,
  enqueued,
  everyHistory,
  factsOf,
  stateOf,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { right } from '../../support/ledger-database.js';
import { drained } from '../../support/runners.js';

const answered = (answer: EnqueueAnswer | undefined): EnqueueOutcome => {
  if (answer === undefined || E.isLeft(answer)) throw new Error(JSON.stringify(answer));
  return answer.right;
};

describe('enqueueing', () => {
  let ledger: TestLedger;
  let other: Producer;

  beforeEach(async () => {
    ledger = await testLedger();
    other = producerOn({});
  });
  afterEach(async () => {
    await Promise.all([ledger.producer.settled(), other.settled()]);
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  /** A second producer, with other doors where they are given. */
  const producerOn = (doors: Partial<Pick<Ledger, 'store' | 'index'>>): Producer =>
    producer({ store: ledger.store, index: ledger.index, clock: ledger.clock, by: 'other', ...doors });

  const countOf = async (type: string): Promise<number> =>
    (await column(ledger, `SELECT id::text FROM __schema__.event WHERE type = $1`, type)).length;

  describe('under an id of the producer', () => {
    it('is done once, however often it is asked', async () => {
      const jobId = newId();
      const first = answered(await ledger.producer.enqueue({ type: 'a', jobId }));
      const second = answered(await other.enqueue({ type: 'a', jobId: jobId.toUpperCase() }));
      expect([first, second]).to.deep.equal([
        { jobId, outcome: 'enqueued' },
        { jobId, outcome: 'already-enqueued' },
      ]);
      expect(await typesOf(ledger, jobId)).to.deep.equal(['JobEnqueued']);
    });

    it('is done once where many ask at the same time', async () => {
      const jobId = newId();
      const producers = [ledger.producer, other, ...Array.from({ length: 8 }, () => producerOn({}))];
      const answers = await Promise.all(producers.map((each) => each.enqueue({ type: 'a', jobId })));
      const outcomes = answers.map((answer) => answered(answer).outcome);
      expect(outcomes.filter((outcome) => outcome === 'enqueued')).to.have.lengthOf(1);
      expect(outcomes.filter((outcome) => outcome === 'already-enqueued')).to.have.lengthOf(9);
      expect(await typesOf(ledger, jobId)).to.deep.equal(['JobEnqueued']);
    });

    it('is done once within one batch', async () => {
      const job = { type: 'a', jobId: newId() };
      const answers = await ledger.producer.enqueueAll([job, job, { type: 'b' }, job]);
      expect(answers.map((answer) => answered(answer).outcome)).to.deep.equal([
        'enqueued',
        'already-enqueued',
        'enqueued',
        'already-enqueued',
      ]);
    });

    it('is looked up before equal jobs are', async () => {
      const jobId = newId();
      const job = { type: 'a', jobId, ignoreDuplicates: true };
      await ledger.producer.enqueue(job);
      expect(answered(await ledger.producer.enqueue(job))).to.deep.equal({
        jobId,
        outcome: 'already-enqueued',
      });
      await drained(ledger, [{ type: 'a', run: () => 1 }]);
      expect(answered(await other.enqueue(job))).to.deep.equal({ jobId, outcome: 'already-enqueued' });
      expect(await countOf('DuplicateSuppressed')).to.equal(0);
    });

    it('repeats the answer of the first in its batch where that one is suppressed', async () => {
      const [survivor = ''] = await enqueued(ledger, { type: 'a', ignoreDuplicates: true });
      const job = { type: 'a', ignoreDuplicates: true, jobId: newId() };
      const answers = await ledger.producer.enqueueAll([job, job]);
      const suppressed = { jobId: survivor, outcome: 'suppressed', survivor };
      expect(answers.map(answered)).to.deep.equal([suppressed, suppressed]);
    });

    it('of a job that was suppressed is answered with its survivor, also when that one has ended', async () => {
      const [survivor = ''] = await enqueued(ledger, { type: 'a', ignoreDuplicates: true });
      const job = { type: 'a', ignoreDuplicates: true, jobId: newId() };
      const suppressed = { jobId: survivor, outcome: 'suppressed', survivor };
      expect(answered(await ledger.producer.enqueue(job))).to.deep.equal(suppressed);
      await drained(ledger, [{ type: 'a', run: () => 1 }]);
      expect(answered(await other.enqueue(job))).to.deep.equal(suppressed);
      const told = await factsOf(ledger, survivor, 'DuplicateSuppressed');
      expect(told.map(({ jobId }) => jobId)).to.deep.equal([job.jobId]);
      expect(await countOf('JobEnqueued')).to.equal(1);
    });

    it('is not told to the job itself where another call has enqueued it meanwhile', async () => {
      const job = { type: 'a', ignoreDuplicates: true, jobId: newId() };
      const suppressedIds: Ledger['index']['suppressedIds'] = (ids) => async () => {
        await enqueued(ledger, job);
        return ledger.index.suppressedIds(ids)();
      };
      const late = producerOn({ index: { ...ledger.index, suppressedIds } });
      expect(answered(await late.enqueue(job))).to.deep.equal({
        jobId: job.jobId,
        outcome: 'already-enqueued',
      });
      expect(await typesOf(ledger, job.jobId)).to.deep.equal(['JobEnqueued']);
    });

    it('repeats the error of the first in its batch where that one fails', async () => {
      const append = () => () => Promise.resolve(E.left({ _tag: 'Rejected', message: 'no' } as const));
      const failing = producerOn({ store: { ...ledger.store, append } });
      const job = { type: 'a', jobId: newId() };
      const answers = await failing.enqueueAll([job, job]);
      expect(answers.map(E.isLeft)).to.deep.equal([true, true]);
    });
  });

  it('with a due time that has passed makes the job ready from then on, and never late', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'a', notBefore: '2020-01-01T00:00:00Z' });
    const [told] = await factsOf(ledger, id, 'JobEnqueued');
    expect(told).to.not.have.property('notBefore');
    const [queue] = await right(ledger.claimDesk.readyQueues({ types: ['a'], wikis: undefined }));
    expect(await right(ledger.claimDesk.longestWait(queue === undefined ? [] : [queue]))).to.be.within(
      0,
      60_000,
    );
    await drained(ledger, [{ type: 'a', run: () => 1 }]);
    const [started] = await factsOf(ledger, id, 'AttemptStarted');
    expect(started).to.include({ executionSource: 'NORMAL_TRIGGER', dueAt: told?.enqueuedAt });
  });

  describe('where an equal job waits', () => {
    const job = { type: 'a', params: { n: 1 }, ignoreDuplicates: true };

    it('is answered with it, and tells it', async () => {
      const [survivor = ''] = await enqueued(ledger, job);
      const answer = answered(await other.enqueue({ ...job, requestId: 'request-7' }));
      expect(answer).to.deep.equal({ jobId: survivor, outcome: 'suppressed', survivor });
      const [told] = await factsOf(ledger, survivor, 'DuplicateSuppressed');
      expect(told).to.include({ producer: 'other', requestId: 'request-7' });
      expect(await countOf('JobEnqueued')).to.equal(1);
    });

    it('within one batch is answered with the first, which inherits what is more urgent', async () => {
      const later = addMilliseconds(ledger.clock.now(), 600_000);
      const answers = await ledger.producer.enqueueAll([
        { ...job, notBefore: later },
        { ...job, priority: 'high', notBefore: later },
        { ...job, params: { n: 2 } },
        job,
        { ...job, ignoreDuplicates: false },
      ]);
      const [first, second, third, fourth, fifth] = answers.map(answered);
      const survivor = first?.jobId;
      expect([first, second, fourth]).to.deep.equal([
        { jobId: survivor, outcome: 'enqueued' },
        { jobId: survivor, outcome: 'suppressed', survivor },
        { jobId: survivor, outcome: 'suppressed', survivor },
      ]);
      expect([third?.outcome, fifth?.outcome]).to.deep.equal(['enqueued', 'enqueued']);
      const state = await stateOf(ledger, survivor ?? '');
      expect(state).to.have.nested.include({ _tag: 'Waiting', 'job.class': 'high', 'job.suppressed': 2 });
      const ready = await column(
        ledger,
        'SELECT class::text FROM __schema__.ready_job WHERE job = $1',
        survivor,
      );
      expect(ready).to.deep.equal(['0']);
    });

    it('is not answered with one that is claimed, or was', async () => {
      const [first = ''] = await enqueued(ledger, job);
      const claim = await claimed(ledger, first);
      const [second = ''] = await enqueued(ledger, job);
      await claim.release();
      expect(answered(await ledger.producer.enqueue(job)).jobId).to.equal(second);
    });

    it('is answered by the lowest number where there are several', async () => {
      const [first = ''] = await enqueued(ledger, { ...job, ignoreDuplicates: true });
      const claim = await claimed(ledger, first);
      const ids = await enqueued(ledger, job);
      await claim.succeed();
      expect(answered(await ledger.producer.enqueue(job)).jobId).to.equal(ids[0]);
    });

    it('of another wiki or type is enqueued', async () => {
      await enqueued(ledger, job, { ...job, wiki: 'enwiki' }, { ...job, type: 'b' });
    });

    it('is told by every one of two producers who meet on one survivor', async () => {
      const [survivor = ''] = await enqueued(ledger, job);
      const singly = async (each: Producer): Promise<readonly string[]> => {
        const outcomes: string[] = [];
        for (let n = 0; n < 20; n += 1) outcomes.push(answered(await each.enqueue(job)).outcome);
        return outcomes;
      };
      const outcomes = (await Promise.all([singly(ledger.producer), singly(other)])).flat();
      const suppressed = outcomes.filter((outcome) => outcome === 'suppressed').length;
      expect(await countOf('DuplicateSuppressed')).to.equal(suppressed);
      expect(await countOf('JobEnqueued')).to.equal(1 + outcomes.length - suppressed);
      expect((await factsOf(ledger, survivor, 'DuplicateSuppressed')).length).to.be.at.least(20);
    });

    it('that is claimed between look-up and append is enqueued', async () => {
      const [survivor = ''] = await enqueued(ledger, job);
      const survivors: Ledger['index']['survivors'] = (keys) => async () => {
        const found = await ledger.index.survivors(keys)();
        await claimed(ledger, survivor);
        return found;
      };
      const late = producerOn({ index: { ...ledger.index, survivors } });
      expect(answered(await late.enqueue(job))).to.include({ outcome: 'enqueued' });
      expect(await countOf('DuplicateSuppressed')).to.equal(0);
    });

    it('does not drop the equals of a job that another has enqueued and finished meanwhile', async () => {
      const named = { ...job, jobId: newId() };
      let isFirst = true;
      const drawNumbers: Ledger['index']['drawNumbers'] = (count) => async () => {
        if (isFirst) {
          isFirst = false;
          await enqueued(ledger, named);
          await drained(ledger, [{ type: 'a', run: () => 1 }]);
        }
        return ledger.index.drawNumbers(count)();
      };
      const late = producerOn({ index: { ...ledger.index, drawNumbers } });
      const [first, second, third] = (await late.enqueueAll([named, job, job])).map(answered);
      expect(first).to.deep.equal({ jobId: named.jobId, outcome: 'already-enqueued' });
      expect(second?.outcome).to.equal('enqueued');
      expect(third).to.include({ jobId: second?.jobId, outcome: 'suppressed' });
      expect(await countOf('DuplicateSuppressed')).to.equal(1);
    });
  });

  it('of a batch with bad members keeps the good ones, with an answer each', async () => {
    const answers = await ledger.producer.enqueueAll([
      { type: 'a' },
      { type: '' },
      'nonsense',
      { type: 'a', params: { a: 1n } },
      { type: 'a', title: 'x'.repeat(256) },
      { type: 'a', pramas: {} },
      { type: 'b', params: { text: 'x'.repeat(60_000) } },
    ]);
    const flaws = answers.map((answer) =>
      E.isLeft(answer) ? JSON.stringify(answer.left) : answer.right.outcome,
    );
    expect([flaws[0], flaws[6]]).to.deep.equal(['enqueued', 'enqueued']);
    ['type', '', 'params.a', 'title', 'pramas'].forEach((path, n) => {
      expect(flaws[n + 1])
        .to.include('InvalidSpecification')
        .and.to.include(`"path":"${path}"`);
    });
    expect(await countOf('JobEnqueued')).to.equal(2);
  });

  it('answers 1,000 calls at once in few trips, each with its own job', async () => {
    let trips = 0;
    const append: Ledger['store']['append'] = (appends) => {
      trips += 1;
      return ledger.store.append(appends);
    };
    const counting = producerOn({ store: { ...ledger.store, append } });
    const calls = Array.from({ length: 1_000 }, (_, n) => counting.enqueue({ type: 'a', params: { n } }));
    const ids = (await Promise.all(calls)).map((answer) => answered(answer).jobId);
    expect(new Set(ids).size).to.equal(1_000);
    expect(trips).to.be.at.most(5);
    const histories = await everyHistory(ledger);
    ids.forEach((id, n) => {
      expect(histories.get(id)?.[0]?.event).to.have.nested.include({ 'data.params.n': n });
    });
    const numbers = await column(ledger, `SELECT number::text FROM __schema__.ready_job ORDER BY number`);
    expect(new Set(numbers).size).to.equal(1_000);
  });

  describe('where the answer of the store is lost', () => {
    const losing = (times: number): Ledger['store']['append'] => {
      let left = times;
      return (appends) => async () => {
        const answer = await ledger.store.append(appends)();
        if (left === 0) return answer;
        left -= 1;
        return E.left(unavailable('the connection went away'));
      };
    };

    it('asks again with the same ids, and everything is there once', async () => {
      const late = producerOn({ store: { ...ledger.store, append: losing(2) } });
      const answers = await late.enqueueAll([{ type: 'a' }, { type: 'b' }]);
      expect(answers.map((answer) => answered(answer).outcome)).to.deep.equal(['enqueued', 'enqueued']);
      expect(await countOf('JobEnqueued')).to.equal(2);
    });

    it('suppresses once', async () => {
      const job = { type: 'a', ignoreDuplicates: true };
      const [survivor = ''] = await enqueued(ledger, job);
      const late = producerOn({ store: { ...ledger.store, append: losing(1) } });
      expect(answered(await late.enqueue(job))).to.include({ outcome: 'suppressed', survivor });
      expect(await factsOf(ledger, survivor, 'DuplicateSuppressed')).to.have.lengthOf(1);
    });

    it('says so in the end where it never comes back', async () => {
      const late = producerOn({ store: { ...ledger.store, append: losing(100) } });
      const answer = await late.enqueue({ type: 'a' });
      expect(answer).to.deep.equal(E.left(unavailable('the connection went away')));
      expect(await countOf('JobEnqueued')).to.equal(1);
    });
  });

  const root = (at: string) => ({
    type: 'links',
    params: { rootJobIsSelf: true, rootJobSignature: 's', rootJobTimestamp: mediaWikiTimestamp(at) },
  });

  it('raises a root to one that has begun, however many newer ones wait', async () => {
    const [begun = ''] = await enqueued(ledger, root('2026-03-01T05:00:00Z'));
    await claimed(ledger, begun).then(({ start }) => start());
    const waiting = Array.from({ length: 8 }, (_, n) => root(`2026-03-01T06:00:0${n}Z`));
    await enqueued(ledger, ...waiting);
    const [older = ''] = await enqueued(ledger, root('2026-03-01T04:00:00Z'));
    const [facts] = await factsOf(ledger, older, 'JobEnqueued');
    expect(facts?.root?.timestamp).to.equal('20260301050000');
  });

  it('raises a root to the newest root of its family that has begun, not to one that waits', async () => {
    const [begun = '', waiting = ''] = await enqueued(
      ledger,
      root('2026-03-01T05:00:00Z'),
      root('2026-03-01T06:00:00Z'),
    );
    await claimed(ledger, begun).then(({ start }) => start());
    const [older = '', newer = ''] = await enqueued(
      ledger,
      root('2026-03-01T04:00:00Z'),
      root('2026-03-01T07:00:00Z'),
    );
    const stamps = await Promise.all(
      [begun, waiting, older, newer].map(async (id) => (await factsOf(ledger, id, 'JobEnqueued'))[0]),
    );
    const hours = ['05', '06', '05', '07'].map((hour) => `20260301${hour}0000`);
    expect(stamps.map((facts) => facts?.root?.timestamp)).to.deep.equal(hours);
    expect(stamps.map((facts) => facts?.params['rootJobTimestamp'])).to.deep.equal(hours);
  });
});
