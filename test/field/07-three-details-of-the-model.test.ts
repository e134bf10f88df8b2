// Three details of the model we imitate: acknowledgement without its token, a claim that overwrites another, a counter on the wrong side.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { right } from '../support/ledger-database.js';
import { newId } from '../../adapters/system.js';
import { defineJob } from '../../runners/define-job.js';
import type { EnqueueOutcome } from '../../runners/producer/enqueueing.js';
import { claimPicked } from '../../runners/worker/claiming.js';
import { keyCounter } from '../../runners/worker/key-counter.js';
import { expireClaims } from '../../runners/reaper.js';
import { claimed, runnerNamed } from '../support/claims.js';
import {
  column,
  enqueued,
  factsOf,
  stateOf,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';

describe('field case 07: details of the model', () => {
  let ledger: TestLedger;

  beforeEach(async () => {
    ledger = await testLedger();
  });
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  it('of 50 claimers at once on one row one claims', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'one' });
    const handler = defineJob({ type: 'one', run: () => 1 });
    const [queue] = await right(ledger.claimDesk.readyQueues({ types: undefined, wikis: undefined }));
    if (queue === undefined) throw new Error('no queue is ready');
    const claim = (): Promise<E.Either<unknown, number>> =>
      ledger.claimDesk.withPicked([{ queue, limit: 10 }], async (session) => {
        const batch = await claimPicked(
          session,
          {
            runner: runnerNamed(newId()),
            leaseMs: 60_000,
            most: 10,
            rank: 0,
            startable: 0,
            misfireToleranceMs: 60_000,
            handlerOf: () => handler,
            keys: keyCounter(),
            lost: new AbortController().signal,
            log: () => undefined,
          },
          [],
        );
        return E.isLeft(batch) ? 0 : batch.right.claimed.length;
      })();
    const won = await Promise.all(Array.from({ length: 50 }, claim));
    expect(won.filter(E.isLeft)).to.deep.equal([]);
    expect(won.reduce((sum, each) => sum + (E.isRight(each) ? each.right : 0), 0)).to.equal(1);
    expect(await typesOf(ledger, id)).to.deep.equal(['JobEnqueued', 'JobClaimed']);
    expect(await unequalTables(ledger)).to.deep.equal([]);
    expect(await column(ledger, 'SELECT job_attempts::text FROM __schema__.job')).to.deep.equal(['1']);
  });

  it('of 50 claims appended at once on one revision one is taken', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'one' });
    const claims = await Promise.allSettled(Array.from({ length: 50 }, () => claimed(ledger, id)));
    expect(claims.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
    expect(await typesOf(ledger, id)).to.deep.equal(['JobEnqueued', 'JobClaimed']);
  });

  it('a late report does not touch the job that another has claimed since', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'one' });
    const late = await claimed(ledger, id, { leaseMs: 0 });
    await late.start();
    await expireClaims(
      ledger.reaperPorts(() => undefined),
      { by: 'reaper' },
    );
    const current = await claimed(ledger, id);
    await current.start();
    const before = await typesOf(ledger, id);
    for (const report of [late.succeed, late.fail, late.release]) {
      const refused = { _tag: 'LeaseLost', held: late.token, current: current.token };
      expect(await report()).to.deep.equal(E.left(refused));
    }
    expect(await typesOf(ledger, id)).to.deep.equal(before);
    expect(await stateOf(ledger, id)).to.include({ _tag: 'Running' });
    expect(E.isRight(await current.succeed())).to.equal(true);
  });

  it('the same job pushed five times in a batch and five times singly is one row and nine suppressed', async () => {
    const job = { type: 'one', params: { page: 7 }, ignoreDuplicates: true };
    const answers = [...(await ledger.producer.enqueueAll(Array.from({ length: 5 }, () => job)))];
    for (let n = 0; n < 5; n += 1) answers.push(await ledger.producer.enqueue(job));
    const outcomes = answers.map((answer): EnqueueOutcome => {
      if (E.isLeft(answer)) throw new Error(JSON.stringify(answer.left));
      return answer.right;
    });
    const survivor = outcomes[0]?.jobId ?? '';
    expect(outcomes).to.deep.equal([
      { jobId: survivor, outcome: 'enqueued' },
      ...Array.from({ length: 9 }, () => ({ jobId: survivor, outcome: 'suppressed', survivor })),
    ]);
    expect(await factsOf(ledger, survivor, 'DuplicateSuppressed')).to.have.lengthOf(9);
    expect(await unequalTables(ledger)).to.deep.equal([]);
    const summary = await column(
      ledger,
      `SELECT concat_ws(' ', enqueued, suppressed, waiting) FROM __schema__.queue_summary`,
    );
    expect(summary).to.deep.equal(['1 9 1']);
    for (const table of ['job', 'ready_job']) {
      expect(await column(ledger, `SELECT 1::text FROM __schema__.${table}`)).to.have.lengthOf(1);
    }
  });
});
