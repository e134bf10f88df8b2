// Limits hold over all runners together, whenever they are set.
import { setTimeout as passes } from 'node:timers/promises';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { defineJob } from '../../../runners/define-job.js';
import { claimPicked } from '../../../runners/worker/claiming.js';
import { keyCounter } from '../../../runners/worker/key-counter.js';
import { queueApi, type QueueApi } from '../../../runners/queues/api.js';
import { right } from '../../support/ledger-database.js';
import { column, enqueued, isIn, testLedger, unequalTables, type TestLedger } from '../../support/ledger.js';
import { drained, working } from '../../support/runners.js';
import { gate, until } from '../../support/waiting.js';

describe('limits of queues', () => {
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

  /** How many run at once, now and at most, by whatever `by` says of them. */
  const counting = (by: (job: { type: string; wiki: string }) => string, milliseconds: number) => {
    const now = new Map<string, number>();
    const most = new Map<string, number>();
    const run = async (job: { type: string; wiki: string }): Promise<void> => {
      const key = by(job);
      now.set(key, (now.get(key) ?? 0) + 1);
      most.set(key, Math.max(most.get(key) ?? 0, now.get(key) ?? 0));
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      now.set(key, (now.get(key) ?? 0) - 1);
    };
    return { most, handler: { type: '*', run } };
  };

  const claimTimes = async (type: string): Promise<readonly number[]> =>
    (
      await column(
        ledger,
        `SELECT coalesce(e.data->>'claimedAt', e.metadata->>'occurredAt') FROM __schema__.event e
         WHERE e.type = 'JobClaimed' AND e.data->>'type' = $1 ORDER BY e.position`,
        type,
      )
    ).map((at) => Date.parse(at ?? ''));

  it('let four runners together never run more of a queue at once than its limit', async () => {
    await right(queues.configureQueue({ wiki: 'x', type: 'a', running: 3 }));
    await enqueued(ledger, ...many(60, { type: 'a', wiki: 'x' }), ...many(60, { type: 'a', wiki: 'y' }));
    const { most, handler } = counting(({ wiki }) => wiki, 10);
    await Promise.all(Array.from({ length: 4 }, () => drained(ledger, [handler], { concurrency: 8 })));
    expect(most.get('x')).to.equal(3);
    expect(most.get('y')).to.be.above(3);
    expect(await column(ledger, `SELECT count(*)::text FROM __schema__.ready_job`)).to.deep.equal(['0']);
  });

  it('hold for all queues of a wiki, and of a type, together', async () => {
    await right(queues.configureQueue({ wiki: 'x', running: 4 }));
    await right(queues.configureQueue({ type: 'a', running: 2 }));
    const jobs = ['a', 'b', 'c'].flatMap((type) => ['x', 'y'].map((wiki) => ({ type, wiki })));
    await enqueued(ledger, ...jobs.flatMap((job) => many(12, job)));
    const ofWiki = counting(({ wiki }) => wiki, 5);
    const ofType = counting(({ type }) => type, 5);
    const handler = {
      type: '*',
      run: async (job: { type: string; wiki: string }) => {
        await Promise.all([ofWiki.handler.run(job), ofType.handler.run(job)]);
      },
    };
    await Promise.all([1, 2].map(() => drained(ledger, [handler], { concurrency: 10 })));
    expect(ofWiki.most.get('x')).to.be.within(2, 4);
    expect(ofType.most.get('a')).to.equal(2);
    expect(ofType.most.get('b')).to.be.above(2);
  });

  it('count jobs that were claimed before there was a limit', async () => {
    const door = gate();
    await enqueued(ledger, ...many(9, { type: 'a' }));
    let running = 0;
    let most = 0;
    const handler = {
      type: 'a',
      run: async () => {
        running += 1;
        most = Math.max(most, running);
        await door.opened;
        running -= 1;
      },
    };
    const first = working(ledger, [handler], { concurrency: 5 });
    await until('five run', () => running === 5);
    await right(queues.configureQueue({ type: 'a', running: 6 }));
    const second = working(ledger, [handler], { concurrency: 5 });
    await until('a sixth runs', () => running === 6);
    await until('the limit has been met again', async () =>
      (await column(ledger, `SELECT count(*)::text FROM __schema__.claim_slot`)).includes('6'),
    );
    expect(most).to.equal(6);
    door.open();
    await until('all are done', async () =>
      (await column(ledger, `SELECT count(*)::text FROM __schema__.ready_job`)).includes('0'),
    );
    for (const run of [first, second]) run.stop();
    await Promise.all([first.done, second.done]);
    expect(most).to.equal(6);
  });

  it('count a claim that was under way when the first limit of its queue was written', async () => {
    const { claimDesk } = ledger;
    await enqueued(ledger, ...many(2, { type: 'a' }));
    const pickOne = async () => {
      const [queue] = await right(claimDesk.readyQueues({ types: ['a'], wikis: undefined }));
      return [{ queue: queue ?? expect.fail('nothing is ready'), limit: 1 }];
    };
    let opening: Promise<unknown> | undefined;
    const options = {
      runner: { id: 'r', host: 'h', ip: '10.0.0.1', instance: 'h-1' },
      leaseMs: 30_000,
      misfireToleranceMs: 60_000,
      handlerOf: () => defineJob({ type: 'a', run: () => undefined }),
      lost: new AbortController().signal,
      log: () => undefined,
      most: 1,
      startable: 1,
      rank: 0,
      keys: keyCounter(),
    };
    const claims = await right(
      claimDesk.withPicked(await pickOne(), async (session) => {
        await right(queues.configureQueue({ type: 'a', running: 1 }));
        opening = claimDesk.openLimits()();
        // Without waiting for the claim it would be over soon.
        await Promise.race([opening, passes(300)]);
        return claimPicked(session, options, []);
      }),
    );
    expect(claims).to.have.nested.property('right.claimed.length', 1);
    await opening;
    const second = await right(
      claimDesk.withPicked(await pickOne(), ({ picked, heldBack, isIncomplete }) =>
        Promise.resolve({ picked, heldBack, isIncomplete }),
      ),
    );
    expect(second).to.deep.equal({
      picked: [],
      heldBack: [{ pick: 0, inMs: undefined }],
      isIncomplete: false,
    });
  });

  it('keep nobody waiting whose queue has none, while a new one waits for claims under way to be counted', async () => {
    const door = gate();
    const openLimits = () => async () => {
      await door.opened;
      return E.right(undefined);
    };
    await right(queues.configureQueue({ type: 'a', running: 1 }));
    const [, free = ''] = await enqueued(ledger, { type: 'a' }, { type: 'b' });
    const handlers = ['a', 'b'].map((type) => ({ type, run: () => undefined }));
    const claimDesk = { ...ledger.claimDesk, openLimits };
    const { done, stop } = working({ ...ledger, claimDesk }, handlers);
    await until('the other queue is worked', () => isIn(ledger, 'Succeeded', free));
    door.open();
    stop();
    await done;
  });

  it('count jobs that were claimed while a limit was taken back', async () => {
    const door = gate();
    let running = 0;
    const handler = {
      type: 'a',
      run: async () => {
        running += 1;
        await door.opened;
      },
    };
    await right(queues.configureQueue({ type: 'a', running: 1 }));
    await enqueued(ledger, ...many(12, { type: 'a' }));
    const first = working(ledger, [handler], { concurrency: 4 });
    await until('one runs', () => running === 1);
    await right(queues.configureQueue({ type: 'a', running: null }));
    await until('four run', () => running === 4);
    await right(queues.configureQueue({ type: 'a', running: 6 }));
    const second = working(ledger, [handler], { concurrency: 8 });
    await until('the limit has been met', async () =>
      (await column(ledger, `SELECT count(*)::text FROM __schema__.claim_slot`)).includes('6'),
    );
    expect(running).to.equal(6);
    door.open();
    await until('all are done', async () =>
      (await column(ledger, `SELECT count(*)::text FROM __schema__.ready_job`)).includes('0'),
    );
    for (const run of [first, second]) run.stop();
    await Promise.all([first.done, second.done]);
  });

  it('let no more jobs be claimed in any second than they say, over all runners', async () => {
    await right(queues.configureQueue({ type: 'a', perSecond: 10 }));
    await enqueued(ledger, ...many(25, { type: 'a' }));
    await Promise.all([1, 2].map(() => drained(ledger, [{ type: 'a', run: () => 1 }])));
    const times = await claimTimes('a');
    expect(times).to.have.lengthOf(25);
    const fullest = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length),
    );
    expect(fullest).to.be.at.most(10);
    const took = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(took).to.be.within(2_000, 20_000);
  });

  it('let less than one a second through where they say so', async () => {
    await right(queues.configureQueue({ type: 'a', perSecond: 0.8 }));
    await enqueued(ledger, ...many(3, { type: 'a' }));
    await drained(ledger, [{ type: 'a', run: () => 1 }]);
    const times = await claimTimes('a');
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).to.be.at.least(2_500);
  });

  it('count work items as MediaWiki does: pages, and none for a job that only makes others', async () => {
    await right(queues.configureQueue({ type: 'a', itemsPerSecond: 100 }));
    const pages = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [String(n), [0, `P${n}`]]));
    await enqueued(
      ledger,
      ...many(8, { type: 'a', params: { pages } }),
      ...many(100, { type: 'b', params: { pages, recursive: true } }),
    );
    await drained(ledger, [{ type: '*', run: () => 1 }]);
    // 400 items at 100 a second, with a second's credit.
    const times = await claimTimes('a');
    const took = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(took).to.be.at.least(2_400);
    expect(took).to.be.below(20_000);
  });

  it('hold back a queue without holding back those behind it, whatever its class', async () => {
    await right(queues.configureQueue({ type: 'slow', class: 'high', running: 1 }));
    const door = gate();
    const slow = await enqueued(ledger, ...many(5, { type: 'slow' }));
    const fast = await enqueued(ledger, ...many(40, { type: 'fast' }));
    const run = working(ledger, [
      { type: 'slow', run: () => door.opened },
      { type: 'fast', run: () => 1 },
    ]);
    await until('the fast ones are done', () => isIn(ledger, 'Succeeded', ...fast));
    expect(await isIn(ledger, 'Succeeded', ...slow)).to.equal(false);
    door.open();
    await until('the slow ones are done', () => isIn(ledger, 'Succeeded', ...slow));
    run.stop();
    await run.done;
  });

  it('let go again when they are taken back', async () => {
    await right(queues.configureQueue({ type: 'a', perSecond: 0.001 }));
    const ids = await enqueued(ledger, ...many(10, { type: 'a' }));
    const run = working(ledger, [{ type: 'a', run: () => 1 }]);
    await until('one is done', async () =>
      (await Promise.all(ids.map((id) => isIn(ledger, 'Succeeded', id)))).includes(true),
    );
    await right(queues.configureQueue({ type: 'a', perSecond: null }));
    await until('all are done', () => isIn(ledger, 'Succeeded', ...ids));
    run.stop();
    await run.done;
  });
});
