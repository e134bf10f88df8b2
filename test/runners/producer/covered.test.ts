// The property that matters, on random schedules: nothing that was asked for is dropped unless something does it later.
import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { newId } from '../../../adapters/system.js';
import { isoOf, millisecondsOf } from '../../../domain/instant.js';
import { jobStream, type RecordedEvent } from '../../../domain/ledger.js';
import { checkSpecification } from '../../../domain/job/specification.js';
import { draft, enqueuedEvent } from '../../../runners/producer/job-draft.js';
import { envelope } from '../../../runners/streams/event-envelope.js';
import { everyEvent, testLedger, unequalTables, type TestLedger } from '../../support/ledger.js';
import { memoryLedger, type MemoryLedger } from '../../support/memory-ledger.js';
import { right } from '../../support/outcome.js';
import { playOn, schedules, type OpenTransaction, type World } from '../../support/random-schedule.js';
import { uncovered } from '../../support/uncovered.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** A clock that goes on by a second whenever it is read. */
const steppingClock = () => {
  let time = millisecondsOf('2026-03-01T04:00:00.000Z');
  return {
    now: () => (time += SECOND),
    jump: (milliseconds: number) => void (time += milliseconds),
  };
};

describe('what is dropped on random schedules', () => {
  /** In memory a transaction is an append that comes late. */
  const lateAppend =
    (ledger: MemoryLedger, now: () => number) =>
    async (specification: object): Promise<OpenTransaction> => {
      const checked = checkSpecification(specification);
      if (E.isLeft(checked)) throw new Error(checked.left.message);
      const job = draft(checked.right, isoOf(now()));
      const [number = 0n] = await right(ledger.index.drawNumbers(1));
      const data = { ...enqueuedEvent(job, number), inCallersTransaction: true };
      return {
        jobId: job.id,
        end: async (commit) => {
          if (!commit) return;
          const origin = { commandId: newId(), by: 'caller', occurredAt: job.now };
          const events = envelope([{ type: 'JobEnqueued', data }], origin);
          await right(ledger.store.append([{ stream: jobStream(job.id), expected: 'no-stream', events }]));
        },
      };
    };

  /** Every call of the store and the index waits for its turn, which the scheduler draws. */
  const takingTurns = <Api extends object>(api: Api, scheduler: fc.Scheduler): Api =>
    Object.fromEntries(
      Object.entries(api).map(([name, ask]) => [
        name,
        (...args: readonly unknown[]) =>
          () =>
            scheduler.schedule(Promise.resolve(ask(...args)()), name),
      ]),
    ) as Api;

  it('is covered in memory, whoever goes first', async function () {
    this.timeout(300_000);
    await fc.assert(
      fc.asyncProperty(schedules(4, 14), fc.scheduler(), fc.boolean(), async (actors, scheduler, ignores) => {
        const clock = steppingClock();
        const ledger = memoryLedger(clock.now);
        const world: World = {
          store: takingTurns(
            { append: ledger.store.append, readStreams: ledger.store.readStreams },
            scheduler,
          ),
          index: takingTurns(ledger.index, scheduler),
          glance: ledger.store,
          wiki: '1',
          now: clock.now,
          enqueueInTransaction: lateAppend(ledger, clock.now),
        };
        const play = playOn(world, ignores);
        const acting = actors.map(async (actions) => {
          for (const action of actions) await play.act(action);
        });
        await scheduler.waitFor(Promise.all(acting));
        expect(uncovered(ledger.history())).to.deep.equal([]);
        clock.jump(HOUR);
        await scheduler.waitFor(play.finish());
        expect(uncovered(ledger.history())).to.deep.equal([]);
      }),
      { numRuns: 200 },
    );
  });

  describe('on PostgreSQL', () => {
    let ledger: TestLedger;

    before(async () => {
      ledger = await testLedger();
    });
    after(() => ledger.drop());

    /** In a real transaction, on a connection of its own. */
    const realTransaction = async (specification: object): Promise<OpenTransaction> => {
      const client = await ledger.pool.connect();
      await client.query('BEGIN');
      const [answer] = await ledger.enqueueOn(client, [specification]);
      if (answer === undefined || E.isLeft(answer)) throw new Error(JSON.stringify(answer));
      return {
        jobId: answer.right.jobId,
        end: async (commit) => {
          await client.query(commit ? 'COMMIT' : 'ROLLBACK');
          client.release();
        },
      };
    };

    it('is covered too, transactions that stay open among them', async function () {
      this.timeout(300_000);
      let worlds = 0;
      await fc.assert(
        fc.asyncProperty(schedules(3, 12), fc.boolean(), async (actors, ignores) => {
          const clock = steppingClock();
          worlds += 1;
          const wiki = String(worlds);
          const world: World = {
            store: ledger.store,
            index: ledger.index,
            glance: ledger.store,
            wiki,
            now: clock.now,
            enqueueInTransaction: realTransaction,
          };
          const play = playOn(world, ignores);
          await Promise.all(
            actors.map(async (actions) => {
              for (const action of actions) await play.act(action);
            }),
          );
          clock.jump(HOUR);
          await play.finish();
          const ofThisWorld = (event: RecordedEvent): boolean =>
            (event.data as { readonly wiki: string }).wiki === wiki;
          expect(uncovered((await everyEvent(ledger)).filter(ofThisWorld))).to.deep.equal([]);
        }),
        { numRuns: 20, endOnFailure: true },
      );
      expect(await unequalTables(ledger)).to.deep.equal([]);
    });
  });
});
