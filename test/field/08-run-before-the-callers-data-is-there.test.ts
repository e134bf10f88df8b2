// Field case 08: a job enqueued with its caller's data is there if and only if they are, and a repeated enqueue changes nothing.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import pg from 'pg';
import { newId } from '../../adapters/system.js';
import { addMilliseconds } from '../../domain/instant.js';
import { projections } from '../../projections/index.js';
import type { EnqueueAnswer } from '../../runners/producer/enqueueing.js';
import { claimed } from '../support/claims.js';
import {
  column,
  enqueued,
  factsOf,
  isIn,
  stateOf,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';
import { right } from '../support/outcome.js';
import { drained } from '../support/runners.js';
import { until } from '../support/waiting.js';

const outcomeOf = (answer: EnqueueAnswer | undefined): string =>
  answer === undefined ? 'none' : E.isLeft(answer) ? answer.left._tag : answer.right.outcome;

const idOf = (answer: EnqueueAnswer | undefined): string =>
  answer === undefined || E.isLeft(answer) ? '' : answer.right.jobId;

describe("field case 08: run before the caller's data is there", () => {
  let ledger: TestLedger;
  let client: pg.Client;

  beforeEach(async () => {
    ledger = await testLedger();
    client = new pg.Client({ connectionString: ledger.url });
    await client.connect();
    await client.query('CREATE TABLE orders (id integer PRIMARY KEY)');
  });
  afterEach(async () => {
    await client.end();
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  const countOf = async (table: string): Promise<string | null> =>
    (await column(ledger, `SELECT count(*)::text FROM __schema__.${table}`))[0] ?? null;

  it('a job is run when the transaction has committed, and finds what it was enqueued with', async () => {
    await client.query('BEGIN');
    await client.query('INSERT INTO orders VALUES (7)');
    const [answer] = await ledger.enqueueOn(client, [{ type: 'ship', params: { order: 7 } }]);
    expect(outcomeOf(answer)).to.equal('enqueued');
    const found: unknown[] = [];
    const run = async ({ params }: { params: Record<string, unknown> }): Promise<void> => {
      const { rows } = await ledger.pool.query<{ id: number }>('SELECT id FROM orders');
      found.push(params['order'], rows[0]?.id);
    };
    expect(await drained(ledger, [{ type: 'ship', run }])).to.include({ succeeded: 0 });
    await client.query('COMMIT');
    expect(await drained(ledger, [{ type: 'ship', run }])).to.include({ succeeded: 1 });
    expect(found).to.deep.equal([7, 7]);
    const [facts] = await factsOf(ledger, idOf(answer), 'JobEnqueued');
    expect(facts).to.include({ inCallersTransaction: true, type: 'ship' });
  });

  it('a transaction that is rolled back leaves nothing', async () => {
    await client.query('BEGIN');
    const answers = await ledger.enqueueOn(client, [
      { type: 'ship' },
      { type: 'ship', ignoreDuplicates: true },
    ]);
    expect(answers.map(outcomeOf)).to.deep.equal(['enqueued', 'enqueued']);
    await client.query('ROLLBACK');
    expect(await countOf('event')).to.equal('0');
    expect(await countOf('enqueue_at_commit')).to.equal('0');
  });

  it('two open transactions that enqueue under one id make one job: the second to commit adds nothing, and is told', async () => {
    const other = new pg.Client({ connectionString: ledger.url });
    await other.connect();
    const told: (string | undefined)[] = [];
    client.on('notice', ({ message }) => told.push(message));
    const jobId = newId();
    await client.query('BEGIN');
    await other.query('BEGIN');
    const [mine] = await ledger.enqueueOn(client, [{ type: 'ship', jobId, params: { by: 'second' } }]);
    const [theirs] = await ledger.enqueueOn(other, [{ type: 'ship', jobId, params: { by: 'first' } }]);
    expect([mine, theirs].map(outcomeOf)).to.deep.equal(['enqueued', 'enqueued']);
    await other.query('COMMIT');
    await client.query('INSERT INTO orders VALUES (7)');
    await client.query('COMMIT');
    await other.end();
    expect((await factsOf(ledger, jobId, 'JobEnqueued')).map(({ params }) => params)).to.deep.equal([
      { by: 'first' },
    ]);
    expect(told).to.deep.equal([
      `already enqueued by another transaction meanwhile, so that this one adds nothing: ${jobId}`,
    ]);
    expect((await client.query('SELECT FROM orders')).rowCount).to.equal(1);
    const [again] = await ledger.enqueueOn(client, [{ type: 'ship', jobId }]);
    expect(outcomeOf(again)).to.equal('already-enqueued');
  });

  it('to a savepoint, what was enqueued behind it is gone and the rest stays', async () => {
    await client.query('BEGIN');
    const [kept] = await ledger.enqueueOn(client, [{ type: 'ship' }]);
    await client.query('SAVEPOINT here');
    await ledger.enqueueOn(client, [{ type: 'ship' }]);
    await client.query('ROLLBACK TO here');
    await client.query('COMMIT');
    expect(await column(ledger, 'SELECT job::text FROM __schema__.ready_job')).to.deep.equal([idOf(kept)]);
  });

  it('under an id of the caller, a repetition after a crash is answered with the first', async () => {
    const job = { type: 'ship', jobId: newId(), ignoreDuplicates: true };
    await client.query('BEGIN');
    const answers = await ledger.enqueueOn(client, [job, job]);
    expect(answers.map(outcomeOf)).to.deep.equal(['enqueued', 'already-enqueued']);
    expect((await ledger.enqueueOn(client, [job])).map(outcomeOf)).to.deep.equal(['already-enqueued']);
    await client.query('COMMIT');
    await client.query('BEGIN');
    const [again] = await ledger.enqueueOn(client, [job]);
    await client.query('COMMIT');
    expect([outcomeOf(again), idOf(again)]).to.deep.equal(['already-enqueued', job.jobId]);
    expect(outcomeOf(await ledger.producer.enqueue(job))).to.equal('already-enqueued');
    expect(await typesOf(ledger, job.jobId)).to.deep.equal(['JobEnqueued']);
  });

  it('the same id enqueued by another while the transaction is open exists once', async () => {
    const job = { type: 'ship', jobId: newId() };
    await client.query('BEGIN');
    await ledger.enqueueOn(client, [job]);
    await enqueued(ledger, job);
    await client.query('COMMIT');
    expect(await typesOf(ledger, job.jobId)).to.deep.equal(['JobEnqueued']);
  });

  it('nothing is suppressed and nothing superseded, though equal jobs wait and run meanwhile', async () => {
    const job = { type: 'ship', ignoreDuplicates: true };
    await enqueued(ledger, job);
    await client.query('BEGIN');
    const [own] = await ledger.enqueueOn(client, [job]);
    expect(outcomeOf(own)).to.equal('enqueued');
    await drained(ledger, [{ type: 'ship', run: () => 1 }]);
    await client.query('COMMIT');
    expect(await drained(ledger, [{ type: 'ship', run: () => 1 }])).to.include({
      succeeded: 1,
      superseded: 0,
    });
    expect(await isIn(ledger, 'Succeeded', idOf(own))).to.equal(true);
  });

  it('delayed jobs, roots and bad members are what they are elsewhere', async () => {
    const notBefore = addMilliseconds(ledger.clock.now(), 600_000);
    const params = (stamp: string) => ({
      rootJobIsSelf: true,
      rootJobSignature: 's',
      rootJobTimestamp: stamp,
    });
    const [begun = ''] = await enqueued(ledger, { type: 'links', params: params('20260301050000') });
    await claimed(ledger, begun).then(({ start }) => start());
    await client.query('BEGIN');
    const answers = await ledger.enqueueOn(client, [
      { type: 'ship', notBefore },
      { type: 'links', params: params('20260301040000'), ignoreDuplicates: true },
      { type: '' },
      { type: 'ship', params: { a: 1n } },
    ]);
    await client.query('COMMIT');
    expect(answers.map(outcomeOf)).to.deep.equal([
      'enqueued',
      'enqueued',
      'InvalidSpecification',
      'InvalidSpecification',
    ]);
    expect(await column(ledger, 'SELECT job::text FROM __schema__.delayed_job')).to.deep.equal([
      idOf(answers[0]),
    ]);
    const root = await stateOf(ledger, idOf(answers[1]));
    expect(root).to.have.nested.include({ 'job.root.timestamp': '20260301050000' });
  });

  it('a transaction that stays open holds up no reader of the history', async () => {
    await client.query('BEGIN');
    await ledger.enqueueOn(client, [{ type: 'ship' }]);
    const seen: string[] = [];
    const subscription = ledger.store.subscribe({
      from: 'start',
      onPage: (page) => async () => void seen.push(...page.events.map(({ stream }) => stream)),
    });
    const [other = ''] = await enqueued(ledger, { type: 'other' });
    await right(ledger.catchUp(projections.filter(({ drive }) => drive === 'catch-up')));
    expect(await column(ledger, 'SELECT job_uuid::text FROM __schema__.job')).to.deep.equal([other]);
    await until('the other job is read', () => seen.includes(`job-${other}`));
    await client.query('COMMIT');
    await until('the job of the transaction is read behind it', () => seen.length === 2);
    await subscription.stop();
    const positions = await column(ledger, 'SELECT stream FROM __schema__.event ORDER BY position');
    expect(positions[0]).to.equal(`job-${other}`);
  });

  it('a thousand jobs of one transaction are there at its commit, in their order', async () => {
    await client.query('BEGIN');
    const jobs = Array.from({ length: 1_000 }, (_, n) => ({ type: 'ship', params: { n } }));
    const answers = await ledger.enqueueOn(client, jobs);
    await client.query('COMMIT');
    const streams = await column(ledger, 'SELECT stream FROM __schema__.event ORDER BY position');
    expect(streams).to.deep.equal(answers.map((answer) => `job-${idOf(answer)}`));
    expect(await countOf('ready_job')).to.equal('1000');
  });
});
