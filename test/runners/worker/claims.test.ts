// Which jobs a runner takes, how many at a time, and when it has nothing more to do.
import { expect } from 'chai';
import { addMilliseconds } from '../../../domain/instant.js';
import {
  column,
  enqueued,
  everyHistory,
  factsOf,
  isIn,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import type { JobDefinition } from '../../../runners/define-job.js';
import { drained, working } from '../../support/runners.js';
import { gate, until } from '../../support/waiting.js';

const many = (count: number, type: string): readonly object[] =>
  Array.from({ length: count }, (_, n) => ({ type, params: { n } }));

describe('which jobs a runner takes', () => {
  let ledger: TestLedger;

  beforeEach(async () => {
    ledger = await testLedger();
  });
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  it('holds no more claims than its slots while no pace is known, however long its handlers take', async () => {
    await enqueued(ledger, ...many(30, 'slow'));
    const door = gate();
    let running = 0;
    const run = async (): Promise<void> => {
      running += 1;
      await door.opened;
    };
    const { done, stop } = working(ledger, [{ type: 'slow', run }], { concurrency: 5 });
    await until('all slots are taken', () => running === 5);
    const claims = [...(await everyHistory(ledger)).values()].filter((events) => events.length > 1);
    expect(claims).to.have.lengthOf(5);
    stop();
    door.open();
    expect(await done).to.include({ succeeded: 5, released: 0 });
  });

  it('never runs more handlers than its concurrency, at any pace', async () => {
    await enqueued(ledger, ...many(400, 'busy'));
    let running = 0;
    let most = 0;
    const { succeeded } = await drained(
      ledger,
      [
        {
          type: 'busy',
          run: async ({ params: { n } }) => {
            running += 1;
            most = Math.max(most, running);
            if (Number(n) % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
            running -= 1;
          },
        },
      ],
      { concurrency: 3 },
    );
    expect({ succeeded, most }).to.deep.equal({ succeeded: 400, most: 3 });
  });

  it('claims ahead by what it starts within a second, not more', async () => {
    await enqueued(ledger, ...many(600, 'paced'));
    const door = gate();
    const begun = performance.now();
    let calls = 0;
    let pace = 0;
    const run = async (): Promise<void> => {
      calls += 1;
      if (calls > 150) {
        pace ||= (calls * 1_000) / (performance.now() - begun);
        await door.opened;
      }
    };
    const { done, stop } = working(ledger, [{ type: 'paced', run }], { concurrency: 2 });
    await until('it stands', () => calls === 152);
    const held = [...(await everyHistory(ledger)).values()].filter((events) =>
      ['JobClaimed', 'AttemptStarted'].includes(events.at(-1)?.type ?? ''),
    );
    // The pace of a moment may be several times that of the whole.
    expect(held.length).to.be.at.most(Math.max(20, pace * 5));
    stop();
    door.open();
    expect(await done).to.include({ failed: 0, lost: 0 });
  });

  it('leaves types alone that it has no handler for', async () => {
    const [known = '', unknown = ''] = await enqueued(ledger, { type: 'known' }, { type: 'unknown' });
    expect(await drained(ledger, [{ type: 'known', run: () => 1 }])).to.include({ succeeded: 1 });
    expect(await isIn(ledger, 'Succeeded', known)).to.equal(true);
    expect(await typesOf(ledger, unknown)).to.deep.equal(['JobEnqueued']);
  });

  it('gives to the handler * what no other handler takes', async () => {
    await enqueued(ledger, { type: 'a' }, { type: 'b' }, { type: 'c' });
    const taken: string[] = [];
    await drained(ledger, [
      { type: '*', run: ({ type }) => void taken.push(`* ${type}`) },
      { type: 'b', run: ({ type }) => void taken.push(`own ${type}`) },
    ]);
    expect(taken).to.have.members(['* a', 'own b', '* c']);
  });

  it('keeps to the types and wikis it is told', async () => {
    const jobs = ['a', 'b'].flatMap((type) => ['x', 'y'].map((wiki) => ({ type, wiki })));
    await enqueued(ledger, ...jobs);
    const taken: string[] = [];
    const any = {
      type: '*',
      run: (job: { type: string; wiki: string }) => void taken.push(job.type + job.wiki),
    };
    await drained(ledger, [any], { types: ['a'], wikis: ['y'] });
    expect(taken).to.deep.equal(['ay']);
    await drained(ledger, [any], { wikis: ['y', 'z'] });
    expect(taken).to.deep.equal(['ay', 'by']);
    await drained(ledger, [any], { types: ['b', 'none'] });
    expect(taken).to.deep.equal(['ay', 'by', 'bx']);
  });

  it('ends a drain where a type it is told to take has no handler', async () => {
    await enqueued(ledger, { type: 'a' }, { type: 'b' });
    const summary = await drained(ledger, [{ type: 'a', run: () => 1 }], { types: ['a', 'b'] });
    expect(summary).to.include({ succeeded: 1 });
  });

  it('takes classes strictly in order, then priority, then age', async () => {
    const jobs = [
      { priority: 'low', params: { n: 6 } },
      { priority: 3, params: { n: 5 } },
      { priority: 'normal', params: { n: 3 } },
      { priority: 'high', params: { n: 1 } },
      { priority: 0, params: { n: 4 } },
      { priority: -1, params: { n: 2 } },
    ];
    await enqueued(ledger, ...jobs.map((job) => ({ type: 'ordered', ...job })));
    const order: unknown[] = [];
    const run = ({ params }: { params: Record<string, unknown> }): void => void order.push(params['n']);
    await drained(ledger, [{ type: 'ordered', run }], { concurrency: 1 });
    expect(order).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });

  it('ends a drain without waiting for what is delayed, and without an idle wait', async () => {
    const notBefore = addMilliseconds(ledger.clock.now(), 600_000);
    const [delayed = ''] = await enqueued(ledger, { type: 'a', notBefore }, ...many(20, 'a'));
    const asked = performance.now();
    const summary = await drained(ledger, [{ type: 'a', run: () => 1 }], { pollMs: 60_000 });
    expect(summary).to.include({ succeeded: 20 });
    expect(performance.now() - asked).to.be.below(10_000);
    expect(await isIn(ledger, 'Waiting', delayed)).to.equal(true);
  });

  it('ends a drain only when the jobs that its jobs spawn are done', async () => {
    const [parent = ''] = await enqueued(ledger, { type: 'parent' });
    const done: unknown[] = [];
    const summary = await drained(ledger, [
      {
        type: 'parent',
        run: (_, { spawn }) => {
          spawn({ type: 'child', params: { n: 1 } });
          spawn({ type: 'child', params: { n: 2 } });
        },
      },
      { type: 'child', run: ({ params }) => void done.push(params['n']) },
    ]);
    expect(summary).to.include({ succeeded: 3 });
    expect(done).to.have.members([1, 2]);
    const [{ spawned = [] } = {}] = await factsOf(ledger, parent, 'AttemptSucceeded');
    const histories = await everyHistory(ledger);
    expect(
      spawned.map(({ jobId }) => histories.get(typeof jobId === 'string' ? jobId : '')?.at(-1)?.type),
    ).to.deep.equal(['AttemptSucceeded', 'AttemptSucceeded']);
  });

  it('lets no spawned job exist where the attempt fails, and the same ones where it then succeeds', async () => {
    const [parent = ''] = await enqueued(ledger, { type: 'parent' });
    const children: number[] = [];
    const { done, stop } = working(ledger, [
      {
        type: 'parent',
        retry: { backoff: { firstMs: 10 } },
        run: async ({ attempt }, { spawn }) => {
          spawn({ type: 'child', params: { attempt } });
          children.push((await everyHistory(ledger)).size);
          if (attempt === 1) throw new Error('not yet');
        },
      },
    ]);
    await until('it has succeeded', () => isIn(ledger, 'Succeeded', parent));
    stop();
    await done;
    expect(children).to.deep.equal([1, 1]);
    const all = await column(
      ledger,
      `SELECT params -> 'attempt' FROM (
      SELECT data -> 'params' AS params FROM __schema__.event WHERE type = 'JobEnqueued' AND data ->> 'type' = 'child') e`,
    );
    expect(all.map(Number)).to.deep.equal([2]);
  });

  it('fails the attempt where it spawns what cannot be enqueued, with the path', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'parent' });
    const run: JobDefinition['run'] = (_, { spawn }) => spawn({ type: 'child', params: { a: [1n] } });
    await drained(ledger, [{ type: 'parent', retry: false, run }]);
    const [failed] = await factsOf(ledger, id, 'AttemptFailed');
    expect(failed?.error.message).to.include('params.a[0]');
    expect((await everyHistory(ledger)).size).to.equal(1);
  });

  it('fails the attempt where it spawns more than an event can hold, and the runner keeps its leases', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'parent' });
    const run: JobDefinition['run'] = (_, { spawn }) => {
      for (let n = 0; n < 400; n += 1) spawn({ type: 'child', params: { text: 'é'.repeat(30_000) } });
    };
    const summary = await drained(ledger, [{ type: 'parent', retry: false, run }]);
    expect(summary).to.include({ failed: 1, lost: 0 });
    const [failed] = await factsOf(ledger, id, 'AttemptFailed');
    expect(failed?.error.message).to.include('spawn:');
  });

  it('takes what it spawns as it is at that moment', async () => {
    await enqueued(ledger, { type: 'parent' });
    const seen: unknown[] = [];
    const summary = await drained(ledger, [
      {
        type: 'parent',
        run: (_, { spawn }) => {
          const params: Record<string, unknown> = { n: 1 };
          spawn({ type: 'child', params });
          params['n'] = 2n;
        },
      },
      { type: 'child', run: ({ params }) => void seen.push(params) },
    ]);
    expect(summary).to.include({ succeeded: 2 });
    expect(seen).to.deep.equal([{ n: 1 }]);
  });
});
