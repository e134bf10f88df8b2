import { expect } from 'chai';
import { projections } from '../../../projections/index.js';
import { appendAll, ledgerDatabase, right, type LedgerDatabase } from '../../support/ledger-database.js';
import { uuidOf } from '../../support/random-appends.js';
import { enqueuedAppend } from '../../support/single-append.js';
import { catchUp } from '../../../adapters/postgres/projector.js';
import { jobProjection } from '../../../projections/job-table.js';

const MEDIAWIKI_LAYOUTS = {
  job_1_6: 'job_id job_cmd job_namespace job_title job_params',
  job_1_10: 'job_id job_cmd job_namespace job_title job_params',
  job_1_19: 'job_id job_cmd job_namespace job_title job_timestamp job_params',
  job_1_21:
    'job_id job_cmd job_namespace job_title job_timestamp job_params job_random job_attempts job_token job_token_timestamp job_sha1',
};

const EXECUTION_LOG = [
  'id character varying(40) NOT NULL',
  'job_name character varying(100) NOT NULL',
  'task_id character varying(1000) NOT NULL',
  'hostname character varying(255) NOT NULL',
  'ip character varying(50) NOT NULL',
  'sharding_item integer NOT NULL',
  'execution_source character varying(20) NOT NULL',
  'failure_cause character varying(2000)',
  'is_success boolean NOT NULL',
  'start_time timestamp without time zone NOT NULL',
  'complete_time timestamp without time zone',
];

const STATUS_TRACE_LOG = [
  'id character varying(40) NOT NULL',
  'job_name character varying(100) NOT NULL',
  'original_task_id character varying(1000) NOT NULL',
  'task_id character varying(1000) NOT NULL',
  'slave_id character varying(1000) NOT NULL',
  'execution_type character varying(20) NOT NULL',
  'sharding_item character varying(255) NOT NULL',
  'state character varying(20) NOT NULL',
  'message character varying(2000) NOT NULL',
  'creation_time timestamp without time zone NOT NULL',
  "source character varying(50) NOT NULL DEFAULT 'LITE_EXECUTOR'::character varying",
];

describe('the tables in PostgreSQL', () => {
  let ledger: LedgerDatabase;
  before(async () => {
    ledger = await ledgerDatabase();
  });
  after(() => ledger.drop());

  const columnsOf = async (table: string): Promise<readonly string[]> => {
    const { rows } = await ledger.pool.query<{ line: string }>(
      `SELECT concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END,
         'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS line
       FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
       WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
      [table],
    );
    return rows.map(({ line }) => line);
  };

  it('have every column that a projection writes, and its key', async () => {
    for (const { name, columns, key } of projections.flatMap(({ tables }) => tables)) {
      const there = (await columnsOf(`jobledger.${name}`)).map((line) => line.split(' ')[0]);
      expect(there, name).to.include.members(Object.keys(columns));
      const { rows } = await ledger.pool.query<{ columns: string }>(
        `SELECT string_agg(a.attname, ',' ORDER BY k.n) AS columns
         FROM pg_constraint c CROSS JOIN unnest(c.conkey) WITH ORDINALITY AS k(attnum, n)
         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum
         WHERE c.conrelid = $1::regclass AND c.contype = 'p'`,
        [`jobledger.${name}`],
      );
      expect(rows[0]?.columns, name).to.equal(key.join(','));
    }
  });

  it("are ElasticJob's two, column by column and width by width", async () => {
    expect(await columnsOf('jobledger.job_execution_log')).to.deep.equal(EXECUTION_LOG);
    expect(await columnsOf('jobledger.job_status_trace_log')).to.deep.equal(STATUS_TRACE_LOG);
  });

  it("carry all indexes of MediaWiki's job table", async () => {
    const { rows } = await ledger.pool.query<{ line: string }>(
      `SELECT indexname || ' ' || substring(indexdef FROM '\\((.*)\\)$') AS line FROM pg_indexes
       WHERE schemaname = 'jobledger' AND tablename = 'job' ORDER BY indexname`,
    );
    expect(rows.map(({ line }) => line)).to.deep.equal([
      'job_cmd job_cmd, job_namespace, job_title, "left"(job_params, 128)',
      'job_cmd_token job_cmd, job_token, job_random',
      'job_cmd_token_id job_cmd, job_token, job_id',
      'job_id job_id',
      'job_pkey job_uuid',
      'job_sha1 job_sha1',
      'job_timestamp job_timestamp',
    ]);
  });

  it('take a job of a megabyte in characters of many bytes', async () => {
    const stream = `job-${uuidOf(77, 1)}`;
    await appendAll(ledger.store, [
      enqueuedAppend(stream, { params: { text: '🦊é'.repeat(170_000) }, title: 'Ä'.repeat(127) }),
    ]);
    await right(catchUp(ledger.pool, ledger.schema, [jobProjection], { store: ledger.store }));
    const { rows } = await ledger.pool.query(
      `SELECT octet_length(job_params) > 1000000 AS large FROM jobledger.job WHERE job_uuid = $1`,
      [stream.slice(4)],
    );
    expect(rows).to.deep.equal([{ large: true }]);
  });

  it("refuse what is wider than MediaWiki's columns, counted in bytes", async () => {
    const insert = (cmd: string, title: string, token: string, sha1: string) =>
      ledger.pool
        .query(
          `INSERT INTO jobledger.job (job_id, job_cmd, job_namespace, job_title, job_params, job_token, job_sha1,
             job_uuid, job_wiki, job_revision, job_class, job_priority, job_state)
           VALUES (-1, $1, 0, $2, '', $3, $4, gen_random_uuid(), 'w', 0, 'normal', 0, 'Waiting')`,
          [cmd, title, token, sha1],
        )
        .then(
          () => 'taken',
          (error: { code?: string }) => error.code,
        );
    expect(await insert('é'.repeat(30), 'é'.repeat(127), 't'.repeat(32), 's'.repeat(32))).to.equal('taken');
    expect(await insert('é'.repeat(31), '', '', '')).to.equal('23514');
    expect(await insert('', 'é'.repeat(128), '', '')).to.equal('23514');
    expect(await insert('', '', 't'.repeat(33), '')).to.equal('23514');
    expect(await insert('', '', '', 's'.repeat(33))).to.equal('23514');
    await ledger.pool.query('DELETE FROM jobledger.job WHERE job_id = -1');
  });

  it("are shown in each version's layout of MediaWiki, with times of 14 digits", async () => {
    const layouts = {
      ...MEDIAWIKI_LAYOUTS,
      job_1_33: MEDIAWIKI_LAYOUTS.job_1_21,
      job_1_36: MEDIAWIKI_LAYOUTS.job_1_21,
    };
    for (const [view, columns] of Object.entries(layouts)) {
      const there = await columnsOf(`jobledger.${view}`);
      expect(there.map((line) => line.split(' ')[0]).join(' '), view).to.equal(columns);
    }
    await ledger.pool.query(
      `INSERT INTO jobledger.job (job_id, job_cmd, job_namespace, job_title, job_params, job_timestamp, job_uuid, job_wiki,
         job_revision, job_class, job_priority, job_state)
       VALUES (-2, 'null', 0, '', '', '2026-03-01T23:59:58.999+14', gen_random_uuid(), 'w', 0, 'normal', 0, 'Waiting')`,
    );
    const { rows } = await ledger.pool.query(
      'SELECT job_timestamp, job_token_timestamp FROM jobledger.job_1_36 WHERE job_id = -2',
    );
    await ledger.pool.query('DELETE FROM jobledger.job WHERE job_id = -2');
    expect(rows).to.deep.equal([{ job_timestamp: '20260301095958', job_token_timestamp: null }]);
  });

  it("are shown to ElasticJob's console in a schema of their own, with is_success as an integer", async () => {
    const there = await columnsOf('jobledger_elasticjob_ui.job_execution_log');
    expect(there.find((line) => line.startsWith('is_success'))).to.equal('is_success integer');
    const trace = await columnsOf('jobledger_elasticjob_ui.job_status_trace_log');
    expect(trace.at(-1)).to.match(/^source /);
  });

  it('give job numbers that rise by one', async () => {
    const next = async () =>
      (await ledger.pool.query<{ n: string }>(`SELECT nextval('jobledger.job_number')::text AS n`)).rows[0]
        ?.n;
    expect([await next(), await next(), await next()]).to.deep.equal(['1', '2', '3']);
  });
});
