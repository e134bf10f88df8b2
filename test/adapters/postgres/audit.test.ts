import { expect } from 'chai';
import { audit } from '../../../adapters/postgres/audit.js';
import { postgresEventStore } from '../../../adapters/postgres/event-store.js';
import { housekeeping } from '../../../adapters/postgres/housekeeping.js';
import { catchUp } from '../../../adapters/postgres/projector.js';
import { rebuild } from '../../../adapters/postgres/rebuild.js';
import { LEDGER_STREAM } from '../../../domain/ledger.js';
import type { StreamAppend } from '../../../domain/ports.js';
import { queueStream } from '../../../domain/queue/state.js';
import { envelope } from '../../../runners/streams/event-envelope.js';
import { projections } from '../../../projections/index.js';
import { appendAll, ledgerDatabase, right, type LedgerDatabase } from '../../support/ledger-database.js';
import { at } from '../../support/given-commands.js';
import { randomAppends, uuidOf } from '../../support/random-appends.js';
import { dumpTables } from '../../support/table-dump.js';

const kept = projections.filter(({ drive }) => drive === 'catch-up');

/** For each table: whose rows come first that count in any case, how to alter one, and the column that it differs in then. */
const DAMAGES = [
  ['ready_job', 'ready_job', 'job', 'priority = priority + 1', 'priority'],
  ['duplicate', 'duplicate', 'begun_revision IS NOT NULL, job', "sha1 = sha1 || 'x'", 'sha1'],
  ['root_job', 'root_job', "state <> 'waiting', job", "signature = 'another'", 'signature'],
  ['suppressed_job', 'suppressed_job', 'job', 'revision = revision + 1', 'revision'],
  ['queue', 'queue', 'id', "class = 'high'", 'class'],
  ['queue', 'queue_pause', 'id', "why = 'forged'", 'why'],
  ['pruned_job', 'pruned_job', 'job', 'entry = entry + 1', 'entry'],
  ['claimed_job', 'claimed_job', 'job', "runner = 'nobody'", 'runner'],
  ['job', 'job', 'job_uuid', "job_title = 'Another'", 'job_title'],
  ['job_execution_log', 'job_execution_log', 'id', 'is_success = NOT is_success', 'is_success'],
  ['job_status_trace_log', 'job_status_trace_log', 'id', "message = 'forged'", 'message'],
  ['queue_summary', 'queue_summary', 'wiki || type', 'succeeded = succeeded + 1', 'succeeded'],
  ['queue_summary', 'queue_due', 'minute', 'jobs = jobs + 1', 'jobs'],
] as const;

/** So many queues configured, and as many paused. */
const decisionsAbout = (queues: number): readonly StreamAppend[] =>
  Array.from({ length: queues }, (_, n) => ({
    stream: queueStream(uuidOf(0xa0, n)),
    expected: 'no-stream' as const,
    events: envelope(
      [
        { type: 'QueueConfigured', data: { type: `type-${n}`, class: 'low', limits: { perSecond: 2.5 } } },
        { type: 'QueuePaused', data: { wiki: `wiki-${n}`, why: 'for a test' } },
      ],
      { commandId: uuidOf(0xa1, n), by: 'test', occurredAt: at(n) },
    ),
  }));

/** So many jobs pruned, of which only the event tells. */
const prunedJobs = (count: number): StreamAppend => {
  const jobs = Array.from({ length: count }, (_, n) => ({
    id: uuidOf(0xb0, n),
    number: `${n}`,
    revision: '3',
  }));
  const data = {
    streams: count,
    events: 4 * count,
    digest: '',
    file: 'archive',
    reason: 'old',
    jobs,
    counters: [],
  };
  return {
    stream: LEDGER_STREAM,
    expected: 'no-stream',
    events: envelope([{ type: 'HistoryPruned', data }], {
      commandId: uuidOf(0xb1, 0),
      by: 'test',
      occurredAt: at(0),
    }),
  };
};

describe('audit and rebuild', () => {
  let ledger: LedgerDatabase;
  const random = randomAppends(21);
  const grow = async (count: number) => {
    await appendAll(
      ledger.store,
      Array.from({ length: count }, () => random.next()),
    );
    await right(catchUp(ledger.pool, ledger.schema, kept, { store: ledger.store }));
  };
  before(async () => {
    ledger = await ledgerDatabase();
    await appendAll(ledger.store, [...decisionsAbout(8), prunedJobs(8)]);
    await grow(500);
  });
  after(() => ledger.drop());

  const historyOn = (client: Parameters<typeof postgresEventStore>[0]) =>
    postgresEventStore(client, { schema: ledger.schema });
  const named = (name: string) => {
    const found = projections.find((projection) => projection.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  };
  const auditOf = (name: string) => right(audit(ledger.pool, ledger.schema, named(name), historyOn));
  const rebuildOf = (name: string) =>
    right(rebuild(ledger.pool, ledger.schema, named(name), { store: ledger.store, historyOn }));
  const expectEqual = async (names = projections.map(({ name }) => name)) => {
    for (const name of names) {
      const { equal, differences } = await auditOf(name);
      expect(equal, `${name} ${JSON.stringify(differences[0])}`).to.equal(true);
    }
  };

  it('find nothing where nothing is wrong, and change nothing', async () => {
    const before = await dumpTables(ledger.pool, projections);
    for (const { name } of projections) {
      const report = await auditOf(name);
      expect(report, name).to.include({ name, equal: true, missing: 0, extra: 0, different: 0 });
      expect(report.rows, name).to.be.greaterThan(5);
      expect(await rebuildOf(name), name).to.include({ halt: undefined, missing: 0, extra: 0, different: 0 });
    }
    expect(await dumpTables(ledger.pool, projections)).to.equal(before);
  });

  for (const [name, table, key, change, column] of DAMAGES) {
    it(`find in ${table} a row that was altered, one that is missing and one too many, and mend them`, async () => {
      const before = await dumpTables(ledger.pool, projections);
      const { pool } = ledger;
      const where = `WHERE ctid = (SELECT ctid FROM jobledger.${table} ORDER BY ${key}`;
      const altered = await pool.query(
        `UPDATE jobledger.${table} SET ${change} ${where} LIMIT 1) RETURNING *`,
      );
      const lost = await pool.query(`DELETE FROM jobledger.${table} ${where} LIMIT 1 OFFSET 1) RETURNING *`);
      const keyColumn = /job$|job_uuid$/.exec(key)?.[0];
      // A row that history does not know: the lost one under another key.
      const invented = {
        ...lost.rows[0],
        ...(key === 'id' && name === 'queue'
          ? { id: 'ffffffff-0000-7000-8000-000000000000', type: 'invented' }
          : {}),
        ...(keyColumn === undefined ? {} : { [keyColumn]: 'ffffffff-0000-7000-8000-000000000000' }),
        ...(key === 'id' && name !== 'queue' ? { id: 'invented' } : {}),
        ...(name === 'queue_summary' ? { type: 'invented' } : {}),
        ...(table === 'job' ? { job_id: -5 } : {}),
      };
      await pool.query(
        `INSERT INTO jobledger.${table} SELECT r.* FROM json_populate_record(NULL::jobledger.${table}, $1::json) r`,
        [JSON.stringify(invented)],
      );
      const report = await auditOf(name);
      expect(report).to.include({ equal: false, missing: 1, extra: 1, different: 1 });
      const kinds = report.differences.map(({ kind }) => kind).toSorted();
      expect(kinds).to.deep.equal(['different', 'extra', 'missing']);
      const shown = report.differences.find(({ kind }) => kind === 'different');
      expect(shown?.table).to.equal(table);
      expect(Object.keys(shown?.columns ?? {})).to.deep.equal([column]);
      const [keyName = ''] = Object.keys(shown?.key ?? {});
      expect(shown?.key[keyName]).to.equal(String(altered.rows[0][keyName]));

      expect(await rebuildOf(name)).to.include({ halt: undefined, missing: 1, extra: 1, different: 1 });
      expect(await dumpTables(pool, projections)).to.equal(before);
    });
  }

  it('find a job that stands in both ready_job and delayed_job', async () => {
    const before = await dumpTables(ledger.pool, projections);
    await ledger.pool.query(
      `INSERT INTO jobledger.delayed_job SELECT * FROM jobledger.ready_job ORDER BY job LIMIT 1`,
    );
    expect(await auditOf('ready_job')).to.include({ equal: false, extra: 1, missing: 0, different: 0 });
    await rebuildOf('ready_job');
    expect(await dumpTables(ledger.pool, projections)).to.equal(before);
  });

  it('agree whichever rows housekeeping has dropped, however the history goes on', async () => {
    let dropped = 0;
    for (let round = 0; round < 4; round += 1) {
      await grow(120);
      const { duplicates, roots } = await right(housekeeping(ledger.pool, ledger.schema));
      dropped += Math.min(duplicates, 1) + Math.min(roots, 1);
      await grow(60);
      await expectEqual(['duplicate', 'root_job']);
    }
    expect(dropped).to.be.greaterThan(2);
  });

  it('say that a table without its checkpoint has to be rebuilt, which mends it', async () => {
    const before = await dumpTables(ledger.pool, projections);
    await ledger.pool.query(`DELETE FROM jobledger.checkpoint WHERE projection = 'queue_summary'`);
    const refused = await audit(ledger.pool, ledger.schema, named('queue_summary'), historyOn)();
    expect(refused)
      .to.have.nested.property('left.message')
      .that.matches(/rebuild queue_summary/);
    expect(await rebuildOf('queue_summary')).to.include({ missing: 0, extra: 0, different: 0 });
    await grow(20);
    expect(await dumpTables(ledger.pool, projections)).to.not.equal(before);
    await expectEqual();
  });

  it('take over a table that another version of the projection has kept', async () => {
    await ledger.pool.query(
      `UPDATE jobledger.checkpoint SET version = 0, position = 3 WHERE projection = 'job_execution_log'`,
    );
    await ledger.pool.query(`UPDATE jobledger.job_execution_log SET ip = 'as version 0 had it'`);
    const report = await rebuildOf('job_execution_log');
    expect(report).to.include({ missing: 0, extra: 0 });
    await grow(20);
    await expectEqual();
  });
});
