// Ready or delayed, and since when: the answers that depend on the clock.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { JobCommand } from '../../../domain/job/commands.js';
import { addMilliseconds } from '../../../domain/instant.js';
import { jobStream } from '../../../domain/ledger.js';
import { queueSummary } from '../../../projections/queue-summary.js';
import { openLedger, type Ledger } from '../../../runners/ledger.js';
import type { QueueView } from '../../../projections/reading-desk.js';
import {
  at,
  attemptId,
  claim,
  enqueue,
  fail,
  refuse,
  release,
  requeue,
  start,
} from '../../support/given-commands.js';
import { testDatabase, type TestDatabase } from '../../support/postgres.js';
import { storyOf } from './recorded-story.js';

const id = (number: bigint): string => `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Enqueued as `number`, failed once `seconds` into the story, and due again ten seconds later. */
const failedOnce = (number: bigint, seconds: number, type: string): readonly JobCommand[] => [
  enqueue({ number: String(number), type }),
  claim({ now: at(seconds - 2) }),
  start({ now: at(seconds - 1), attemptId: attemptId(Number(number)) }),
  fail({ now: at(seconds) }),
];

describe('the view of queues', () => {
  let database: TestDatabase;
  let ledger: Ledger;

  before(async () => {
    database = await testDatabase();
    const where = { databaseUrl: database.url, home: 'unused', schema: 'jobledger' };
    const opened = await openLedger({ ...where, by: 'test', report: () => undefined })();
    if (E.isLeft(opened)) throw new Error(opened.left.message);
    ledger = opened.right;
  });
  after(async () => {
    await ledger.close();
    await database.drop();
  });

  const write = async (...stories: readonly (readonly [bigint, readonly JobCommand[]])[]): Promise<void> => {
    const appends = stories.map(
      ([number, commands]) =>
        ({
          stream: jobStream(id(number)),
          expected: 'no-stream',
          events: storyOf(id(number), commands),
        }) as const,
    );
    const outcomes = await ledger.store.append(appends)();
    expect(E.isRight(outcomes) && outcomes.right.every(E.isRight)).to.equal(true);
  };

  const view = async (type: string): Promise<QueueView | undefined> => {
    await ledger.catchUp([queueSummary])();
    const views = await ledger.reading.queueViews()();
    return E.isRight(views) ? views.right.find((queue) => queue.type === type) : undefined;
  };

  it('dates the oldest ready job whatever its class and priority', async () => {
    const type = 'placed';
    await write(
      [11n, [enqueue({ number: '11', type, class: 'low', priority: 7, enqueuedAt: at(100) })]],
      [12n, [enqueue({ number: '12', type, class: 'low', enqueuedAt: at(300) })]],
      [13n, [enqueue({ number: '13', type, class: 'high', priority: -3, enqueuedAt: at(500) })]],
    );
    const placed = await view(type);
    expect(placed).to.deep.include({ ready: 3, delayed: 0, oldestReadyAt: at(100) });
    expect(placed?.lagSeconds).to.be.above(1_000_000);
  });

  it('counts a job that came back from its return, not from its enqueue', async () => {
    await write(
      [21n, failedOnce(21n, 400, 'back')],
      [22n, [enqueue({ number: '22', type: 'given-back' }), claim(), release({ now: at(700) })]],
    );
    expect(await view('back')).to.deep.include({ ready: 1, failed: 1, retried: 1, oldestReadyAt: at(410) });
    expect(await view('given-back')).to.deep.include({ ready: 1, oldestReadyAt: at(700) });
  });

  it('finds an old job that came back behind many younger ones', async () => {
    const returned = Array.from({ length: 12 }, (_, n) => BigInt(31 + n));
    await write(...returned.map((number) => [number, failedOnce(number, 3_000, 'many')] as const));
    await write([50n, failedOnce(50n, 620, 'many')]);
    expect(await view('many')).to.deep.include({ ready: 13, oldestReadyAt: at(630) });
  });

  it('finds a job that has waited since its enqueue behind many that were requeued a moment ago', async () => {
    const type = 'requeued';
    const requeued = Array.from({ length: 30 }, (_, n) => BigInt(101 + n));
    const story = (number: bigint) => [
      enqueue({ number: String(number), type }),
      claim(),
      refuse(),
      requeue(),
    ];
    await write(...requeued.map((number) => [number, story(number)] as const));
    await write([150n, [enqueue({ number: '150', type, enqueuedAt: at(60) })]]);
    expect(await view(type)).to.deep.include({ ready: 31, abandoned: 0, oldestReadyAt: at(60) });
  });

  it('finds a job never tried behind any number of retried ones', async () => {
    const retried = Array.from({ length: 600 }, (_, n) => BigInt(2_001 + n));
    await write(...retried.map((number) => [number, failedOnce(number, 3_000, 'tried')] as const));
    await write([2_700n, [enqueue({ number: '2700', type: 'tried', enqueuedAt: at(60) })]]);
    expect(await view('tried')).to.deep.include({ ready: 601, oldestReadyAt: at(60) });
  });

  it('finds the one given back first behind others given back later, with a new one behind them all', async () => {
    const type = 'given-back-in-turn';
    const back = (number: bigint, seconds: number) =>
      [number, [enqueue({ number: String(number), type }), claim(), release({ now: at(seconds) })]] as const;
    await write(...Array.from({ length: 9 }, (_, n) => back(BigInt(3_001 + n), 3_000)), back(3_020n, 700));
    await write([3_030n, [enqueue({ number: '3030', type, enqueuedAt: at(2_900) })]]);
    expect(await view(type)).to.deep.include({ ready: 11, oldestReadyAt: at(700) });
  });

  it('dates what has fallen due behind many others, and nobody has moved', async () => {
    const due = Array.from({ length: 600 }, (_, n) => BigInt(1_001 + n));
    const born = (number: bigint, type: string, notBefore: string) =>
      [number, [enqueue({ number: String(number), type, notBefore })]] as const;
    await write(...due.map((number) => born(number, 'first-due', at(100))));
    await write(born(1_700n, 'then-due', at(190)));
    await ledger.pool.query(`
      WITH moved AS (DELETE FROM jobledger.ready_job WHERE type IN ('first-due', 'then-due') RETURNING *)
      INSERT INTO jobledger.delayed_job SELECT * FROM moved`);
    expect(await view('first-due')).to.deep.include({ ready: 600, oldestReadyAt: at(100) });
    expect(await view('then-due')).to.deep.include({ ready: 1, oldestReadyAt: at(190) });
  });

  it('tells what is delayed from what is due, within the running minute too, and never goes below 0', async () => {
    const type = 'timed';
    const soon = addMilliseconds(ledger.clock.now(), 20_000);
    await write(
      [61n, [enqueue({ number: '61', type, notBefore: soon })]],
      [62n, [enqueue({ number: '62', type, notBefore: '2100-01-01T00:00:00.000Z' })]],
    );
    expect(await view(type)).to.deep.include({ ready: 0, delayed: 2, oldestReadyAt: null, lagSeconds: 0 });
    await write([63n, [enqueue({ number: '63', type, enqueuedAt: '2099-01-01T00:00:00.000Z' })]]);
    expect(await view(type)).to.deep.include({ ready: 1, delayed: 2, lagSeconds: 0 });
  });

  it('counts as ready what has fallen due and has not been moved yet', async () => {
    await write([71n, [enqueue({ number: '71', type: 'overdue', notBefore: at(90) })]]);
    await ledger.pool.query(`
      WITH moved AS (DELETE FROM jobledger.ready_job WHERE type = 'overdue' RETURNING *)
      INSERT INTO jobledger.delayed_job SELECT * FROM moved`);
    expect(await view('overdue')).to.deep.include({ ready: 1, delayed: 0, oldestReadyAt: at(90) });
  });
});
