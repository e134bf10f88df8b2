// What a queue asks of its ledger is about that queue: other queues, however many, are not read for it.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type pg from 'pg';
import { queueSummary } from '../../../projections/queue-summary.js';
import { jobQueueGroupFactory } from '../../../runners/library/queues/job-queue-group-factory.js';
import type { JobQueueGroup } from '../../../runners/library/queues/job-queue-group.js';
import { queueStorage } from '../../../runners/library/queues/queue-storage.js';
import { openLedger, type Ledger } from '../../../runners/ledger.js';
import { queueApi } from '../../../runners/queues/api.js';
import { enqueued, testLedger, type TestLedger } from '../../support/ledger.js';
import { right } from '../../support/outcome.js';
import { rowsTouched } from '../../support/rows-touched.js';

interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

describe('a queue among 10,000 others', () => {
  let ledger: TestLedger;
  /** Opened for questions alone: nothing that it tells after an enqueue is taken for part of one. */
  let asking: Ledger;
  let group: JobQueueGroup;

  before(async () => {
    ledger = await testLedger();
    const databaseUrl = ledger.pool.options.connectionString;
    asking = await right(
      openLedger({ databaseUrl, home: '', schema: ledger.schema, by: 'test', report: () => undefined }),
    );
    const factory = jobQueueGroupFactory({
      ledgers: { default: { queueStorage: queueStorage(asking, () => () => undefined) } },
    });
    group = E.isRight(factory) ? factory.right.group('mine') : expect.fail(factory.left.message);
    await enqueued(
      ledger,
      { type: 'a', wiki: 'mine' },
      { type: 'a', wiki: 'mine', notBefore: '2100-01-01T00:00:00Z' },
      { type: 'b', wiki: 'mine', notBefore: '2100-01-01T00:00:00Z' },
      { type: 'c', wiki: 'mine' },
    );
    await right(ledger.catchUp([queueSummary]));
    await ledger.pool.query(`
      INSERT INTO jobledger.queue_summary (wiki, type, waiting, enqueued)
      SELECT 'wiki-' || n / 20, 'type-' || n % 20, 2, 2 FROM generate_series(0, 9999) AS n;
      INSERT INTO jobledger.queue_due (wiki, type, minute, jobs)
      SELECT 'wiki-' || n / 20, 'type-' || n % 20, '2100-01-01T00:00:00Z', 1 FROM generate_series(0, 9999) AS n;
      INSERT INTO jobledger.ready_job (job, wiki, type, class, priority, number, revision)
      SELECT gen_random_uuid(), 'wiki-' || n / 20, (ARRAY['a', 'b', 'type-3'])[n % 3 + 1], 3, 0, n, 0 FROM generate_series(0, 9999) AS n;
      INSERT INTO jobledger.delayed_job (job, wiki, type, class, priority, number, due, revision)
      SELECT gen_random_uuid(), 'wiki-' || n / 20, 'a', 3, 0, n, '2100-01-01T00:00:00Z', 0 FROM generate_series(0, 9999) AS n;
      ANALYZE`);
  });
  after(async () => {
    await asking.close();
    await ledger.drop();
  });

  /** The rows that the statements of a question touch, all together. */
  const touchedBy = async <A>(
    question: () => Promise<A>,
  ): Promise<{ answer: A; rows: number; statements: number }> => {
    const { pool } = asking;
    const query = pool.query.bind(pool);
    const asked: Asked[] = [];
    const noting = (statement: Asked | string, values: readonly unknown[] = []): unknown => {
      asked.push(
        typeof statement === 'string'
          ? { text: statement, values }
          : { ...statement, values: statement.values },
      );
      return query(statement as unknown as pg.QueryConfig);
    };
    Object.assign(pool, { query: noting });
    let answer: A;
    try {
      answer = await question();
    } finally {
      Object.assign(pool, { query });
    }
    let rows = 0;
    for (const statement of asked) rows += await rowsTouched(pool, statement);
    return { answer, rows, statements: asked.length };
  };

  const MOST_ROWS = 100;

  it('is known to be empty or not by one statement that reads no other queue', async () => {
    for (const [type, isEmpty] of [
      ['a', false],
      ['b', true],
      ['never-seen', true],
    ] as const) {
      const { answer, rows, statements } = await touchedBy(() => right(group.get(type).isEmpty()));
      expect(answer, type).to.equal(isEmpty);
      expect(statements, type).to.equal(1);
      expect(rows, type).to.be.below(20);
    }
  });

  it('is not empty while it is paused', async () => {
    await right(queueApi(ledger).pauseQueue({ wiki: 'mine', type: 'c', why: 'to see' }));
    expect(await right(group.get('c').isEmpty())).to.equal(false);
    await right(queueApi(ledger).resumeQueue({ wiki: 'mine', type: 'c', why: 'seen' }));
  });

  it('is not empty once a delayed job has fallen due, though nobody has moved it', async () => {
    await enqueued(ledger, { type: 'late', wiki: 'mine', notBefore: '2100-01-01T00:00:00Z' });
    expect(await right(group.get('late').isEmpty())).to.equal(true);
    await ledger.pool.query(
      `UPDATE jobledger.delayed_job SET due = clock_timestamp() - interval '1 second' WHERE type = 'late'`,
    );
    expect(await right(group.get('late').isEmpty())).to.equal(false);
  });

  it('tells its sizes without reading those of others', async () => {
    const { answer, rows } = await touchedBy(() => right(group.get('a').sizes()));
    expect(answer).to.deep.equal({ ready: 1, claimed: 0, delayed: 1, abandoned: 0 });
    expect(rows).to.be.below(MOST_ROWS);
  });

  it('belongs to a group that tells all its sizes without reading those of other wikis', async () => {
    const { answer, rows } = await touchedBy(() => right(group.sizes()));
    expect([...answer.keys()]).to.include.members(['a', 'b', 'c']);
    expect(answer.get('b')).to.deep.equal({ ready: 0, claimed: 0, delayed: 1, abandoned: 0 });
    expect(rows).to.be.below(MOST_ROWS);
  });

  it('belongs to a group that tells which of its types have jobs without reading other wikis', async () => {
    const { answer, rows } = await touchedBy(() => right(group.queuesWithJobs()));
    expect(answer).to.include.members(['a', 'c']).and.not.include('b');
    expect(rows).to.be.below(MOST_ROWS);
  });

  it('gives a job without reading what else is ready', async () => {
    const { answer, rows } = await touchedBy(() => right(group.get('c').pop()));
    expect(answer?.job.type).to.equal('c');
    expect(rows).to.be.below(MOST_ROWS);
  });
});
