// What a person does to jobs: retry, cancel, release; each an event with who and why, and told to whoever has the job in hand.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { handlersLedger } from '../../../runners/library/asking.js';
import { isLedgerError } from '../../../runners/library/promised.js';
import type { Ledger } from '../../../runners/ledger.js';
import { onEachStore, onlyInPostgres } from '../../support/each-store.js';
import { executionFile } from '../../support/execution-file.js';
import {
  enqueued,
  factsOf,
  historyOf,
  isIn,
  stateOf,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { drained, executionsIn, runnerProcess, working } from '../../support/runners.js';
import { gate, until } from '../../support/waiting.js';

const UNKNOWN = '01890000-0000-7000-8000-00000000ffff';

onEachStore('operations', (openLedger) => {
  let ledger: TestLedger;
  const api = () => handlersLedger(ledger).promises;

  before(async () => {
    ledger = await openLedger();
  });
  after(() => ledger.drop());
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });

  const abandonedJobs = async (count: number, type: string, wiki = 'default'): Promise<string[]> => {
    const specifications = Array.from({ length: count }, () => ({ type, wiki }));
    const ids = await enqueued(ledger, ...specifications);
    await drained(ledger, [{ type, retry: false, run: () => false }]);
    return ids;
  };

  /** A handler that waits for its signal, and keeps what it said. */
  const waitingForSignal = (type: string) => {
    const reasons: unknown[] = [];
    const begun: string[] = [];
    const run = ({ id }: { id: string }, { signal }: { signal: AbortSignal }): Promise<void> =>
      new Promise((resolve) => {
        begun.push(id);
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          resolve();
        });
      });
    return { begun, reasons, definition: { type, run } };
  };

  describe('retry', () => {
    it('makes an abandoned job ready again, its attempts counted from 0, and tells who and why', async () => {
      const [id = ''] = await abandonedJobs(1, 'once');
      await api().retry(id, { by: 'ann', reason: 'the page is back' });
      const last = (await historyOf(ledger, id)).at(-1);
      expect(last?.metadata.by).to.equal('ann');
      expect(last?.event).to.deep.include({ type: 'JobRequeued' });
      expect((await factsOf(ledger, id, 'JobRequeued'))[0]?.why).to.equal('the page is back');
      await drained(ledger, [{ type: 'once', run: () => 1 }]);
      expect((await factsOf(ledger, id, 'AttemptSucceeded'))[0]?.attempt).to.equal(1);
    });

    it('makes a cancelled job ready again', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'cancelled once' });
      await api().cancel(id);
      await api().retry(id);
      await drained(ledger, [{ type: 'cancelled once', run: () => 1 }]);
      expect(await isIn(ledger, 'Succeeded', id)).to.equal(true);
    });

    it('makes a job that waits for its back-off, or for its time, ready at once, with its attempts ahead of it', async () => {
      const types = ['failed once', 'far ahead'];
      const [failed = '', planned = ''] = await enqueued(
        ledger,
        { type: types[0], backoff: { firstMs: 3_600_000 } },
        { type: types[1], notBefore: '2999-01-01T00:00:00Z', ignoreDuplicates: true },
      );
      await drained(ledger, [{ type: 'failed once', run: () => false }]);
      for (const id of [failed, planned]) {
        const state = await api().retry(id, { by: 'ann', reason: 'now' });
        expect(state).to.deep.include({ _tag: 'Waiting', notBefore: undefined });
        expect(state.job.attempts).to.equal(0);
        expect((await historyOf(ledger, id)).at(-1)).to.deep.include({ type: 'JobRequeued' });
      }
      await drained(
        ledger,
        types.map((type) => ({ type, run: () => 1 })),
      );
      expect(await isIn(ledger, 'Succeeded', failed, planned)).to.equal(true);
    });

    it('is refused where the job is ready already, or has its work done', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'waiting' });
      const refusal = (rejection: object) => E.left({ _tag: 'OperationRefused', jobId: id, rejection });
      expect(await handlersLedger(ledger).retry(id)()).to.deep.equal(refusal({ _tag: 'ReadyAlready' }));
      await drained(ledger, [{ type: 'waiting', run: () => 1 }]);
      expect(await handlersLedger(ledger).retry(id)()).to.deep.equal(
        refusal({ _tag: 'NotStopped', state: 'Succeeded' }),
      );
    });

    it('is thrown as a typed error by the promises', async () => {
      const error: unknown = await api()
        .retry(UNKNOWN)
        .catch((thrown: unknown) => thrown);
      expect(isLedgerError(error, 'JobNotFound')).to.equal(true);
    });

    it('takes all abandoned jobs of a queue, lowest number first, up to the limit, and no other', async () => {
      const mine = await abandonedJobs(5, 'mail', 'enwiki');
      const others = [
        ...(await abandonedJobs(2, 'mail', 'dewiki')),
        ...(await abandonedJobs(2, 'links', 'enwiki')),
      ];
      const first = await api().retryAbandoned({ type: 'mail', wiki: 'enwiki', limit: 3, by: 'ann' });
      expect(first).to.deep.equal({ retried: 3, passedOver: 0 });
      expect(await isIn(ledger, 'Waiting', ...mine.slice(0, 3))).to.equal(true);
      expect(await isIn(ledger, 'Abandoned', ...mine.slice(3), ...others)).to.equal(true);
      expect(await api().retryAbandoned({ type: 'mail', wiki: 'enwiki' })).to.include({ retried: 2 });
      expect(await isIn(ledger, 'Abandoned', ...others)).to.equal(true);
      expect((await historyOf(ledger, mine[0] ?? '')).at(-1)?.metadata.by).to.equal('ann');
    });

    it('takes more abandoned jobs than one page holds', async function () {
      onlyInPostgres(this, ledger, 'it takes a thousand jobs');
      await abandonedJobs(1_100, 'many');
      expect(await api().retryAbandoned({ type: 'many' })).to.deep.equal({ retried: 1_100, passedOver: 0 });
      expect(await api().retryAbandoned({ type: 'many' })).to.deep.equal({ retried: 0, passedOver: 0 });
    });
  });

  describe('cancel', () => {
    it('ends a job that waits, with who and why, and it is never run', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'unwanted' });
      await api().cancel(id, { by: 'ann', reason: 'not wanted' });
      expect(await stateOf(ledger, id)).to.include({ _tag: 'Cancelled', reason: 'not wanted' });
      expect((await historyOf(ledger, id)).at(-1)?.metadata.by).to.equal('ann');
      expect(await drained(ledger, [{ type: 'unwanted', run: () => 1 }])).to.include({ succeeded: 0 });
    });

    it('is refused where the job has ended', async () => {
      const [id = ''] = await abandonedJobs(1, 'ended');
      const answer = await handlersLedger(ledger).cancel(id)();
      expect(answer).to.deep.equal(
        E.left({ _tag: 'OperationRefused', jobId: id, rejection: { _tag: 'HasEnded', state: 'Abandoned' } }),
      );
    });

    it('fires the signal of a running handler long before the next renewal', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'running' });
      const { begun, reasons, definition } = waitingForSignal('running');
      const { done, stop, lines } = working(ledger, [definition], { leaseMs: 60_000 });
      await until('it runs', () => begun.length === 1);
      const asked = performance.now();
      await api().cancel(id, { reason: 'changed my mind' });
      await until('its signal has fired', () => reasons.length === 1);
      expect(performance.now() - asked).to.be.below(10_000);
      expect(String(reasons[0])).to.equal('JobCancelled: the job was cancelled: changed my mind');
      stop();
      expect(await done).to.include({ cancelled: 1, succeeded: 0, lost: 0 });
      expect((await typesOf(ledger, id)).at(-1)).to.equal('JobCancelled');
      expect(lines.join('\n')).to.include(`job ${id} was cancelled`);
    });

    it('fires the signal at the next renewal where the summons was not heard', async () => {
      const deaf: Ledger = { ...ledger, summon: () => Promise.resolve() };
      const [id = ''] = await enqueued(ledger, { type: 'unheard' });
      const { begun, reasons, definition } = waitingForSignal('unheard');
      const { done, stop } = working(ledger, [definition], { heartbeatMs: 100 });
      await until('it runs', () => begun.length === 1);
      await handlersLedger(deaf).promises.cancel(id);
      await until('its signal has fired', () => reasons.length === 1);
      stop();
      expect(await done).to.include({ cancelled: 1 });
    });

    it('fires the signal of a handler in another process', async () => {
      const file = executionFile();
      const [id = ''] = await enqueued(ledger, { type: 'elsewhere', params: { milliseconds: 600_000 } });
      const runner = runnerProcess({
        ...ledger.place,
        file: file.path,
        leaseMs: 60_000,
      });
      try {
        const marks = () => executionsIn(file.path).flatMap((each) => (each.jobId === id ? [each.mark] : []));
        await until('it runs', () => marks().includes('begun'));
        await api().cancel(id);
        // The next look of its own would come later than this waits. A summons may be too early: before the process listens.
        await until('its signal has fired', async () => {
          await ledger.summon(id);
          return marks().includes('JobCancelled');
        });
        runner.child.kill('SIGTERM');
        expect(await runner.ended).to.equal(0);
        expect((await typesOf(ledger, id)).at(-1)).to.equal('JobCancelled');
      } finally {
        await runner.kill();
        file.remove();
      }
    });

    it('does no harm to a runner that has not begun yet', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'early' });
      const door = gate();
      const arrive: Ledger['presence']['arrive'] = (runner) => async () => {
        await door.opened;
        return ledger.presence.arrive(runner)();
      };
      const slow: Ledger = { ...ledger, presence: { ...ledger.presence, arrive } };
      const { done, stop } = working(slow, [{ type: 'early', run: () => 1 }]);
      let isHeard = false;
      const stopListening = ledger.store.onNews((jobId) => {
        isHeard ||= jobId === id;
      });
      await until('the summons is heard', async () => {
        await ledger.summon(id);
        return isHeard;
      });
      stopListening();
      door.open();
      await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
      stop();
      expect(await done).to.include({ succeeded: 1 });
    });

    it('keeps the handler from being called where the claim had not been begun', async () => {
      const ids = await enqueued(
        ledger,
        ...Array.from({ length: 40 }, (_, n) => ({ type: 'queued', params: { n } })),
      );
      const { begun, reasons, definition } = waitingForSignal('queued');
      const { done, stop } = working(ledger, [definition], { concurrency: 1, leaseMs: 60_000 });
      await until('one runs', () => begun.length === 1);
      const others = ids.filter((id) => !begun.includes(id));
      for (const id of others) await api().cancel(id);
      await api().cancel(begun[0] ?? '');
      await until('its signal has fired', () => reasons.length === 1);
      stop();
      await done;
      expect(begun).to.have.lengthOf(1);
      expect(await isIn(ledger, 'Cancelled', ...ids)).to.equal(true);
    });
  });

  describe('release', () => {
    it('gives a claim back uncounted, its handler is told, and another runner takes the job', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'hanging' });
      const { begun, reasons, definition } = waitingForSignal('hanging');
      const { done, stop } = working(ledger, [definition], { leaseMs: 60_000, concurrency: 1 });
      await until('it runs', () => begun.length === 1);
      stop();
      await api().release(id, { by: 'ann', reason: 'it hangs' });
      await until('its signal has fired', () => reasons.length === 1);
      expect(await done).to.include({ succeeded: 0, released: 0, lost: 1 });
      expect(String(reasons[0])).to.match(/^LeaseLost: /);
      const [released] = await factsOf(ledger, id, 'JobReleased');
      expect(released).to.include({ why: 'it hangs', attempt: 1, claims: 0 });
      expect((await historyOf(ledger, id)).at(-1)?.metadata.by).to.equal('ann');
      await drained(ledger, [{ type: 'hanging', run: () => 1 }]);
      expect((await factsOf(ledger, id, 'AttemptSucceeded'))[0]?.attempt).to.equal(1);
    });

    it('of a job whose handler does not heed its signal: its runner takes it again when that handler has ended, no sooner', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'deaf' });
      const door = gate();
      let [running, most, calls] = [0, 0, 0];
      const run = async (): Promise<void> => {
        calls += 1;
        running += 1;
        most = Math.max(most, running);
        if (calls === 1) await door.opened;
        running -= 1;
      };
      const beside = { type: 'beside', run: () => 1 };
      const { done, stop } = working(ledger, [{ type: 'deaf', run }, beside], { leaseMs: 60_000 });
      await until('it runs', () => calls === 1);
      await api().release(id);
      const others = await enqueued(ledger, ...Array.from({ length: 20 }, () => ({ type: 'beside' })));
      const later = await enqueued(ledger, { type: 'deaf' });
      await until('others are run meanwhile', () => isIn(ledger, 'Succeeded', ...others, ...later));
      expect(await isIn(ledger, 'Waiting', id)).to.equal(true);
      door.open();
      await until('it is done', () => isIn(ledger, 'Succeeded', id));
      stop();
      await done;
      expect({ most, calls }).to.deep.equal({ most: 2, calls: 3 });
      expect(await factsOf(ledger, id, 'JobClaimed')).to.have.lengthOf(2);
    });

    it('of a job whose handler does not heed its signal: another runner takes it at once', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'elsewhere' });
      const door = gate();
      let calls = 0;
      const run = async (): Promise<void> => {
        calls += 1;
        await door.opened;
      };
      const { done, stop } = working(ledger, [{ type: 'elsewhere', run }], { leaseMs: 60_000 });
      await until('it runs', () => calls === 1);
      const other = working(ledger, [{ type: 'elsewhere', run: () => 1 }]);
      await api().release(id);
      await until('it is done', () => isIn(ledger, 'Succeeded', id));
      door.open();
      for (const runner of [other, { done, stop }]) {
        runner.stop();
        await runner.done;
      }
      expect(calls).to.equal(1);
    });

    it('is refused where nobody holds the job', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'unheld' });
      const answer = await handlersLedger(ledger).release(id)();
      expect(answer).to.deep.equal(
        E.left({ _tag: 'OperationRefused', jobId: id, rejection: { _tag: 'NotHeld', state: 'Waiting' } }),
      );
    });
  });
});
