import { expect } from 'chai';
import { livePlace, writeChanges } from '../../../adapters/postgres/sink.js';
import { claimedJobTable } from '../../../projections/claimed-job.js';
import { queueDueTable, queueSummaryTable } from '../../../projections/queue-summary.js';
import { readyJobTable } from '../../../projections/ready-job.js';
import {
  add,
  foldChanges,
  insert,
  patch,
  put,
  remove,
  type RowChange,
} from '../../../projections/row-change.js';
import type { Table } from '../../../projections/projection.js';
import { statusTraceLogTable } from '../../../projections/status-trace-log.js';
import { ledgerDatabase, type LedgerDatabase } from '../../support/ledger-database.js';
import { uuidOf } from '../../support/random-appends.js';

const MANY = 300;
const NASTY = [
  '\\N',
  'tab\there',
  'line\nfeed',
  'carriage\rreturn',
  'back\\slash',
  '"quoted"',
  "it's",
  '',
  '東京 🦊',
  '\\.',
];

describe('the sink', () => {
  let ledger: LedgerDatabase;
  before(async () => {
    ledger = await ledgerDatabase();
  });
  after(() => ledger.drop());

  const write = async (table: Table, ...changes: readonly (readonly [key: string, change: RowChange])[]) => {
    const net = foldChanges(changes.map(([key, change]) => ({ table: table.name, key, owner: 's', change })));
    const client = await ledger.pool.connect();
    try {
      await writeChanges(client, livePlace(ledger.schema), [table], net);
    } finally {
      client.release();
    }
  };

  const rows = async (sql: string): Promise<readonly object[]> => (await ledger.pool.query(sql)).rows;

  const claim = (n: number, token: string) => ({
    job: uuidOf(5, n),
    revision: 9_007_199_254_740_993n,
    token,
    runner: 'r',
    lease_expires: '2026-03-01T04:00:00.123Z',
  });

  it('inserts, replaces, patches and deletes in one go, and leaves the neighbours alone', async () => {
    await write(
      claimedJobTable,
      ...[1, 2, 3, 4].map((n) => [uuidOf(5, n), insert(claim(n, 'first'))] as const),
    );
    await write(
      claimedJobTable,
      [uuidOf(5, 1), remove],
      [uuidOf(5, 2), put(claim(2, 'second'))],
      [uuidOf(5, 3), patch({ token: 'patched' })],
      [uuidOf(5, 5), put(claim(5, 'new'))],
      [uuidOf(5, 6), patch({ token: 'of no row' })],
      [uuidOf(5, 7), remove],
    );
    expect(
      await rows(
        'SELECT right(job::text, 1) AS job, token, revision::text FROM jobledger.claimed_job ORDER BY job',
      ),
    ).to.deep.equal([
      { job: '2', token: 'second', revision: '9007199254740993' },
      { job: '3', token: 'patched', revision: '9007199254740993' },
      { job: '4', token: 'first', revision: '9007199254740993' },
      { job: '5', token: 'new', revision: '9007199254740993' },
    ]);
  });

  for (const [way, count] of [
    ['as JSON', NASTY.length],
    ['by COPY', MANY],
  ] as const) {
    it(`keeps every text as it is, written ${way}`, async () => {
      const texts = Array.from({ length: count }, (_, index) => NASTY[index % NASTY.length] ?? '');
      const row = (message: string, index: number) => ({
        id: `${way}${String(index).padStart(4, '0')}`,
        job_name: 'null',
        original_task_id: '',
        task_id: 't',
        slave_id: 's',
        execution_type: 'NORMAL_TRIGGER',
        sharding_item: '0',
        state: 'TASK_STAGING',
        message,
        creation_time: '2026-03-01T23:59:59.999Z',
        source: 'LITE_EXECUTOR',
      });
      await write(
        statusTraceLogTable,
        ...texts.map((text, index) => [row(text, index).id, insert(row(text, index))] as const),
      );
      const read = await rows(
        `SELECT message, creation_time::text AS at FROM jobledger.job_status_trace_log WHERE id LIKE '${way}%' ORDER BY id`,
      );
      expect(read).to.deep.equal(texts.map((message) => ({ message, at: '2026-03-01 23:59:59.999' })));
    });
  }

  it('adds to counters, and drops a row whose counters are all 0', async () => {
    const queue = { wiki: 'w', type: 't' };
    const due = { ...queue, minute: '2026-03-01T04:00:00.000Z' };
    await write(queueSummaryTable, ['w\nt', add(queue, { enqueued: 2, waiting: 2 })]);
    await write(queueDueTable, ['k', add(due, { jobs: 1 })]);
    await write(
      queueSummaryTable,
      ['w\nt', add(queue, { waiting: -1, claimed: 1 })],
      ['w\nu', add({ wiki: 'w', type: 'u' }, { waiting: 0 })],
    );
    expect(
      await rows(
        'SELECT wiki, type, waiting::int, claimed::int, enqueued::int, failed::int FROM jobledger.queue_summary',
      ),
    ).to.deep.equal([{ wiki: 'w', type: 't', waiting: 1, claimed: 1, enqueued: 2, failed: 0 }]);
    await write(queueDueTable, ['k', add(due, { jobs: -1 })]);
    await write(queueSummaryTable, ['w\nt', add(queue, { waiting: -1, claimed: -1, enqueued: -2 })]);
    expect(
      await rows('SELECT wiki FROM jobledger.queue_summary UNION ALL SELECT wiki FROM jobledger.queue_due'),
    ).to.deep.equal([]);
  });

  it('puts a waiting job into the table that the clock says, and finds it in either', async () => {
    const job = (n: number, due: string | null) =>
      ({
        job: uuidOf(6, n),
        wiki: 'w',
        type: 't',
        class: 1,
        priority: 0,
        number: n,
        due,
        revision: 0,
      }) as const;
    const key = (n: number) => uuidOf(6, n);
    await write(
      readyJobTable,
      [key(1), insert(job(1, null))],
      [key(2), insert(job(2, '2026-01-01T00:00:00.000Z'))],
      [key(3), insert(job(3, '9999-01-01T00:00:00.000Z'))],
      [key(4), insert(job(4, '9999-01-01T00:00:00.000Z'))],
    );
    const where = `SELECT 'ready' AS stands, number::int, revision::int FROM jobledger.ready_job
      UNION ALL SELECT 'delayed', number::int, revision::int FROM jobledger.delayed_job ORDER BY number`;
    expect(await rows(where)).to.deep.equal([
      { stands: 'ready', number: 1, revision: 0 },
      { stands: 'ready', number: 2, revision: 0 },
      { stands: 'delayed', number: 3, revision: 0 },
      { stands: 'delayed', number: 4, revision: 0 },
    ]);
    await write(
      readyJobTable,
      [key(1), remove],
      [key(2), put({ ...job(2, '9999-01-01T00:00:00.000Z'), revision: 5 })],
      [key(3), patch({ revision: 6 })],
      [key(4), put(job(4, null))],
    );
    expect(await rows(where)).to.deep.equal([
      { stands: 'delayed', number: 2, revision: 5 },
      { stands: 'delayed', number: 3, revision: 6 },
      { stands: 'ready', number: 4, revision: 0 },
    ]);
  });
});
