// Field case 23: delayed jobs that fall due are not starved by a steady stream of new ones, beside a mountain of what is not due.
import { setTimeout as passes } from 'node:timers/promises';
import { expect } from 'chai';
import { addMilliseconds, millisecondsBetween } from '../../domain/instant.js';
import { isLarge } from '../support/large.js';
import { enqueued, testLedger, type TestLedger } from '../support/ledger.js';
import { working } from '../support/runners.js';
import { until } from '../support/waiting.js';

/** Of 10,000 names, and due tomorrow or abandoned. */
const MOUNTAIN = `
INSERT INTO jobledger.delayed_job (job, wiki, type, class, priority, number, due, revision)
SELECT gen_random_uuid(), 'wiki-' || n % 500, 'type-' || n % 20, 3, 0, -n, now() + interval '1 day', 0 FROM generate_series(1, 20000) AS n;
INSERT INTO jobledger.job (job_id, job_cmd, job_namespace, job_title, job_params, job_uuid, job_wiki, job_revision, job_class,
  job_priority, job_state)
SELECT -n, 'type-' || n % 20, 0, '', '', gen_random_uuid(), 'wiki-' || n % 500, 3, 'normal', 0, 'Abandoned'
FROM generate_series(1, 5000) AS n`;

/** Jobs that wait at any time, new ones taking the place of those that are done. */
const BACKLOG = 400;
const AT_A_TIME = 50;

const sorted = (numbers: readonly number[]): readonly number[] =>
  numbers.toSorted((one, other) => one - other);

describe('field case 23: due jobs among new ones', function () {
  this.timeout(900_000);
  let ledger: TestLedger;
  beforeEach(async () => {
    ledger = await testLedger();
    await ledger.pool.query(MOUNTAIN);
  });
  afterEach(() => ledger.drop());

  /** Waits, in milliseconds, since each job could first be begun. */
  const waitsOver = async (milliseconds: number, dueJobs: number) => {
    const could = new Map<string, string>();
    const waits = new Map<string, number>();
    const add = async (since: string, ...jobs: readonly object[]): Promise<readonly string[]> => {
      const ids = await enqueued(ledger, ...jobs);
      for (const id of ids) could.set(id, since);
      return ids;
    };
    const news = (): Promise<unknown> =>
      add(ledger.clock.now(), ...Array.from({ length: AT_A_TIME }, () => ({ type: 'new' })));
    const began = ledger.clock.now();
    const due: string[] = [];
    // Some in the queue of the new ones, some in queues of their own.
    for (let n = 0; n < dueJobs; n += 1) {
      const notBefore = addMilliseconds(began, Math.floor((milliseconds * (n + 1)) / (dueJobs + 1)));
      due.push(...(await add(notBefore, { type: n % 2 === 0 ? 'new' : `due-${n % 10}`, notBefore })));
    }
    for (let n = 0; n < BACKLOG; n += AT_A_TIME) await news();
    const run = working(
      ledger,
      [
        {
          type: '*',
          run: async ({ id }) => {
            waits.set(id, millisecondsBetween(could.get(id) ?? began, ledger.clock.now()));
            await passes(5);
          },
        },
      ],
      { concurrency: 2 },
    );
    while (millisecondsBetween(began, ledger.clock.now()) < milliseconds) {
      await until('there is room for new ones', () => could.size - waits.size < BACKLOG + dueJobs);
      await news();
    }
    await until('the due ones have begun', () => due.every((id) => waits.has(id)));
    run.stop();
    await run.done;
    const ofDue = sorted(due.map((id) => waits.get(id) ?? NaN));
    const all = sorted([...waits.values()]);
    const found = { oldest: ofDue.at(-1) ?? NaN, median: all[all.length >> 1] ?? NaN };
    console.log(
      `      ${all.length} jobs, median wait ${found.median} ms; of ${due.length} due ones the longest ${found.oldest} ms`,
    );
    return found;
  };

  it('wait less than twice as long as half of all jobs do, for some seconds', async () => {
    const { oldest, median } = await waitsOver(6_000, 60);
    expect(oldest).to.be.below(2 * median);
  });

  it('wait less than twice as long as half of all jobs do, for five minutes', async function () {
    if (!isLarge(this, 'a stream of new jobs')) return;
    const { oldest, median } = await waitsOver(300_000, 600);
    expect(oldest).to.be.below(2 * median);
  });
});
