// Pauses, classes and orders as runners keep them.
import { expect } from 'chai';
import { heldClaims } from '../../support/killed-runners.js';
import { right } from '../../support/ledger-database.js';
import { enqueued, isIn, stateOf, testLedger, unequalTables, type TestLedger } from '../../support/ledger.js';
import { drained, working } from '../../support/runners.js';
import { until } from '../../support/waiting.js';
import { producer } from '../../../runners/producer/producer.js';
import { queueApi, type QueueApi } from '../../../runners/queues/api.js';
import { addMilliseconds } from '../../../domain/instant.js';

describe('queues as runners work them', () => {
  let ledger: TestLedger;
  let queues: QueueApi;
  beforeEach(async () => {
    ledger = await testLedger();
    queues = queueApi(ledger);
  });
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  const many = (count: number, facts: object) => Array.from({ length: count }, () => facts);
  /** Enqueued so many seconds ago, as far as times go. */
  const enqueuedEarlier = (seconds: number, ...jobs: readonly object[]): Promise<string[]> => {
    const clock = { ...ledger.clock, now: () => addMilliseconds(ledger.clock.now(), -seconds * 1_000) };
    return enqueued({ ...ledger, producer: producer({ ...ledger, clock, by: 'earlier' }) }, ...jobs);
  };
  const why = 'for a test';
  const recorder = () => {
    const taken: string[] = [];
    const handler = {
      type: '*',
      run: ({ type, wiki, params }: { type: string; wiki: string; params: unknown }) => {
        const n = (params as { n?: number }).n;
        taken.push(n === undefined ? `${type}@${wiki}` : String(n));
      },
    };
    return { taken, handler };
  };

  it('take nothing from a queue, a type or a wiki that is paused, and move nothing', async () => {
    await queues.pauseQueue({ wiki: 'x', type: 'a', why })();
    await queues.pauseQueue({ type: 'b', why })();
    await queues.pauseQueue({ wiki: 'z', why })();
    const paused = await enqueued(
      ledger,
      ...['x', 'y', 'z'].flatMap((wiki) => ['a', 'b'].map((type) => ({ type, wiki }))),
    );
    const { taken, handler } = recorder();
    await drained(ledger, [handler]);
    expect(taken).to.deep.equal(['a@y']);
    for (const id of paused) {
      const state = await stateOf(ledger, id);
      expect(state).to.include({ revision: state._tag === 'Succeeded' ? 3n : 0n });
    }
    await queues.resumeQueue({ type: 'b', why })();
    await drained(ledger, [handler]);
    expect(taken.toSorted()).to.deep.equal(['a@y', 'b@x', 'b@y']);
  });

  it('stop claiming as soon as a pause is written, and go on when it is lifted, without a restart', async function () {
    await enqueued(ledger, ...many(300, { type: 'a' }));
    const { taken, handler } = recorder();
    const run = working(ledger, [{ ...handler, type: 'a' }], { concurrency: 1 });
    await until('some are done', () => taken.length > 20);
    await right(queues.pauseQueue({ type: 'a', why }));
    const [last = ''] = await enqueued(ledger, { type: 'a' });
    const other = await enqueued(ledger, { type: 'a', wiki: 'other' });
    await until('nothing is claimed any more', async () => (await heldClaims(ledger)).length === 0);
    expect(await isIn(ledger, 'Waiting', last, ...other)).to.equal(true);
    await right(queues.resumeQueue({ type: 'a', why }));
    await until('all are done', () => isIn(ledger, 'Succeeded', last, ...other));
    run.stop();
    await run.done;
  });

  it("follow a queue's class at once, also for jobs that wait already, and a job's own class before it", async () => {
    await right(queues.configureQueue({ type: 'bulk', class: 'low' }));
    await enqueued(
      ledger,
      ...many(3, { type: 'bulk' }),
      { type: 'bulk', priority: 'normal', params: { n: 1 } },
      ...many(2, { type: 'mail' }),
      { type: 'bulk', priority: 'high', params: { n: 0 } },
    );
    await right(queues.configureQueue({ type: 'mail', class: 'high' }));
    const { taken, handler } = recorder();
    await drained(ledger, [handler], { concurrency: 1 });
    expect(taken.slice(0, 3).toSorted()).to.deep.equal(['0', 'mail@default', 'mail@default']);
    expect(taken.slice(3)).to.deep.equal(['1', 'bulk@default', 'bulk@default', 'bulk@default']);
  });

  it('take in the order of timestamp those first that became ready first', async () => {
    await right(queues.configureQueue({ type: 'a', order: 'timestamp' }));
    const past = (seconds: number) => addMilliseconds(ledger.clock.now(), -seconds * 1_000);
    await enqueued(ledger, { type: 'a', params: { n: 3 } });
    await enqueuedEarlier(
      100,
      { type: 'a', params: { n: 2 }, notBefore: past(50) },
      { type: 'a', params: { n: 1 }, notBefore: past(90) },
    );
    await enqueued(ledger, { type: 'a', params: { n: 0 }, priority: -1 });
    const { taken, handler } = recorder();
    await drained(ledger, [handler], { concurrency: 1 });
    expect(taken).to.deep.equal(['0', '1', '2', '3']);
  });

  it('keep the order of timestamp across jobs given a class of their own, and for one that answers for a later twin', async () => {
    await right(queues.configureQueue({ type: 'a', order: 'timestamp' }));
    const past = (seconds: number) => addMilliseconds(ledger.clock.now(), -seconds * 1_000);
    const first = { type: 'a', params: { n: 3 }, ignoreDuplicates: true };
    await enqueued(ledger, first);
    await enqueued(ledger, { type: 'a', params: { n: 4 }, priority: 'normal' });
    await enqueuedEarlier(
      100,
      { type: 'a', params: { n: 2 }, notBefore: past(30) },
      { type: 'a', params: { n: 1 }, notBefore: past(60), priority: 'normal' },
      { type: 'a', params: { n: 0 }, notBefore: past(90) },
    );
    await ledger.producer.enqueueAll([first]);
    const { taken, handler } = recorder();
    await drained(ledger, [handler], { concurrency: 1 });
    expect(taken).to.deep.equal(['0', '1', '2', '3', '4']);
  });

  it('take at random where that is asked for, each job once, and smaller numbers of priority first', async () => {
    await right(queues.configureQueue({ type: 'a', order: 'random' }));
    const jobs = Array.from({ length: 200 }, (_, n) => ({
      type: 'a',
      params: { n },
      priority: n < 100 ? 0 : 1,
    }));
    await enqueued(ledger, ...jobs);
    const { taken, handler } = recorder();
    await drained(ledger, [handler], { concurrency: 1 });
    const numbers = taken.map(Number);
    expect(numbers.slice(0, 100).every((n) => n < 100)).to.equal(true);
    expect(numbers.slice(0, 100)).to.not.deep.equal(numbers.slice(0, 100).toSorted((a, b) => a - b));
    expect(numbers.toSorted((a, b) => a - b)).to.deep.equal(jobs.map(({ params }) => params.n));
  });

  it("take at random across jobs given the class that is their queue's", async () => {
    await right(queues.configureQueue({ type: 'a', order: 'random' }));
    const jobs = Array.from({ length: 60 }, (_, n) => ({
      type: 'a',
      params: { n },
      ...(n % 2 === 0 ? {} : { priority: 'normal' }),
    }));
    await enqueued(ledger, ...jobs);
    const { taken, handler } = recorder();
    await drained(ledger, [handler], { concurrency: 1 });
    const descents = taken.filter((n, index) => Number(n) < Number(taken[index - 1] ?? -1));
    expect(taken).to.have.lengthOf(60);
    expect(descents.length).to.be.above(10);
  });

  it('serve a low class that has waited over a minute once in twenty picks', async function () {
    const notBefore = addMilliseconds(ledger.clock.now(), -120_000);
    await enqueued(ledger, ...many(2_000, { type: 'a', priority: 'high' }));
    await enqueuedEarlier(200, ...many(30, { type: 'b', priority: 'low', notBefore }));
    const { taken, handler } = recorder();
    await drained(ledger, [handler], { concurrency: 1 });
    const low = taken.flatMap((type, index) => (type === 'b@default' ? [index] : []));
    expect(low.filter((index) => index < 1_500)).to.have.lengthOf(30);
    expect(low.filter((index) => index < 400).length).to.be.at.most(25);
  });
});
