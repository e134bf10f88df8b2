// Field case 24: classes are strict, numbers go smaller first, and slow jobs leave the slots that are reserved for others.
import { setTimeout as passes } from 'node:timers/promises';
import { expect } from 'chai';
import { queueApi } from '../../runners/queues/api.js';
import { isLarge } from '../support/large.js';
import { right } from '../support/ledger-database.js';
import { enqueued, isIn, testLedger, type TestLedger } from '../support/ledger.js';
import { drained, working } from '../support/runners.js';
import { gate, until } from '../support/waiting.js';

describe('field case 24: priority and order are promises', function () {
  this.timeout(600_000);
  let ledger: TestLedger;
  beforeEach(async () => {
    ledger = await testLedger();
  });
  afterEach(() => ledger.drop());

  const CLASSES = ['high', 'normal', 'low'] as const;

  /** Handled with concurrency 1; how many jobs began behind one of a lower class. */
  const inversions = async (count: number): Promise<number> => {
    const jobs = Array.from({ length: count }, (_, n) => ({
      type: `t${n % 4}`,
      priority: CLASSES[(n * 7 + (n >> 3)) % 3] ?? 'normal',
    }));
    const ids = await enqueued(ledger, ...jobs);
    const order: string[] = [];
    await drained(ledger, [{ type: '*', run: (job) => void order.push(job.id) }], { concurrency: 1 });
    const classes = new Map(ids.map((id, n) => [id, CLASSES.indexOf(jobs[n]?.priority ?? 'normal')]));
    const ranks = order.map((id) => classes.get(id) ?? expect.fail(`${id} is none of them`));
    let [lowest, inverted] = [0, 0];
    for (const rank of ranks) {
      if (rank < lowest) inverted += 1;
      lowest = Math.max(lowest, rank);
    }
    expect(ranks).to.have.lengthOf(count);
    return inverted;
  };

  it('begins no job behind one of a lower class, one at a time, among 3,000 in three classes', async () => {
    expect(await inversions(3_000)).to.equal(0);
  });

  it('begins no job behind one of a lower class among 15,000, but for what the rule against starving allows', async function () {
    if (!isLarge(this, 'working 15,000 jobs one at a time')) return;
    const inverted = await inversions(15_000);
    console.log(`      ${inverted} inversions`);
    expect(inverted).to.be.at.most(15_000 / 20);
  });

  it('takes smaller numbers first within a queue, one at a time', async () => {
    const jobs = Array.from({ length: 300 }, (_, n) => ({
      type: 'a',
      priority: (n * 3) % 5,
      params: { p: (n * 3) % 5 },
    }));
    await enqueued(ledger, ...jobs);
    const taken: number[] = [];
    // Not so brief that a second lane claims beside the first: their batches come in either order.
    const run = async ({ params }: { params: Record<string, unknown> }): Promise<void> => {
      taken.push(Number(params['p']));
      await passes(3);
    };
    await drained(ledger, [{ type: 'a', run }], { concurrency: 1 });
    expect(taken).to.deep.equal(taken.toSorted((one, other) => one - other));
  });

  it('reserves capacity: four slow jobs with a limit of two leave slots for 100 fast ones', async () => {
    await right(queueApi(ledger).configureQueue({ type: 'slow', running: 2 }));
    const door = gate();
    const slow = await enqueued(ledger, ...Array.from({ length: 4 }, () => ({ type: 'slow' })));
    const fast = await enqueued(ledger, ...Array.from({ length: 100 }, () => ({ type: 'fast' })));
    const run = working(
      ledger,
      [
        { type: 'slow', run: () => door.opened },
        { type: 'fast', run: () => 1 },
      ],
      { concurrency: 4 },
    );
    await until('the fast ones are done', () => isIn(ledger, 'Succeeded', ...fast));
    door.open();
    await until('the slow ones are done', () => isIn(ledger, 'Succeeded', ...slow));
    run.stop();
    await run.done;
  });

  /** How long an e-mail waited that was enqueued behind so many link updates, and how many of these began meanwhile. */
  const behind = async (links: number, milliseconds: number) => {
    await right(queueApi(ledger).configureQueue({ type: 'mail', class: 'high' }));
    for (let n = 0; n < links; n += 5_000) {
      await enqueued(
        ledger,
        ...Array.from({ length: Math.min(5_000, links - n) }, () => ({ type: 'links' })),
      );
    }
    let begun = 0;
    let mail: { readonly at: number; readonly begun: number } | undefined;
    const run = working(
      ledger,
      [
        {
          type: 'links',
          run: () => {
            begun += 1;
            return new Promise((resolve) => setTimeout(resolve, milliseconds));
          },
        },
        { type: 'mail', run: () => void (mail ??= { at: performance.now(), begun }) },
      ],
      { concurrency: 10, pollMs: 1_000 },
    );
    await until('the links are under way', () => begun > 200);
    const asked = { at: performance.now(), begun };
    await enqueued(ledger, { type: 'mail' });
    const started = await until('the mail has begun', () => mail);
    run.stop();
    await run.done;
    return { waited: started.at - asked.at, linksMeanwhile: started.begun - asked.begun };
  };

  it('begins an e-mail before the link updates that were there first', async () => {
    const { waited, linksMeanwhile } = await behind(3_000, 20);
    console.log(`      begun ${waited.toFixed(0)} ms and ${linksMeanwhile} link updates behind its enqueue`);
    // Ten at a time, 20 ms each: no more than two seconds' work of them, however slow the machine.
    expect(linksMeanwhile).to.be.below(1_000);
  });

  it('begins an e-mail within a second behind 200,000 link updates', async function () {
    if (!isLarge(this, 'enqueueing 200,000 jobs')) return;
    const { waited } = await behind(200_000, 20);
    console.log(`      begun ${waited.toFixed(0)} ms behind its enqueue`);
    expect(waited).to.be.below(1_000);
  });
});
