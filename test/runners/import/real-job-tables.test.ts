// Field facts: what a real MediaWiki's job table holds comes back from the ledger's byte for byte.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { JobRow } from '../../../adapters/mediawiki/index.js';
import { jobProjection } from '../../../projections/job-table.js';
import { importJobs, type ImportResult } from '../../../runners/import/import-jobs.js';
import { CSV, MYSQLDUMP, PG_COPY, readDump } from '../../adapters/mediawiki/dump-file.js';
import { right } from '../../support/ledger-database.js';
import { testLedger, type TestLedger } from '../../support/ledger.js';

const imported = async (ledger: TestLedger, path: string): Promise<ImportResult> => {
  const faults: string[] = [];
  const result = await importJobs(ledger, {
    path,
    wiki: 'default',
    claimTtlSeconds: 3_600,
    onFault: ({ line, message }) => faults.push(`${line}: ${message}`),
  });
  expect(faults).to.deep.equal([]);
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

// The row's own job_id stands in the first event of its stream. A NUL in any event would make this operator fail for all.
const SHOWN = `
  SELECT e.data->'imported'->>'jobId', j.job_cmd, j.job_namespace::text, j.job_title,
    extract(epoch FROM j.job_timestamp)::text,
    encode(coalesce(j.job_params_raw, convert_to(j.job_params, 'UTF8')), 'hex'),
    j.job_random::text, j.job_attempts::text, j.job_token,
    extract(epoch FROM j.job_token_timestamp)::text, j.job_sha1
  FROM jobledger.job j JOIN jobledger.event e ON e.stream = 'job-' || j.job_uuid::text AND e.revision = 0
  ORDER BY j.job_id`;

type Shown = readonly (string | null)[];

const epoch = (timestamp: string | null): string | null =>
  timestamp === null ? null : `${Date.parse(timestamp) / 1000}.000000`;

const expected = (row: JobRow): Shown => [
  String(row.job_id),
  row.job_cmd,
  String(row.job_namespace),
  row.job_title,
  epoch(row.job_timestamp),
  row.job_params.toString('hex'),
  String(row.job_random),
  String(row.job_attempts),
  row.job_token,
  epoch(row.job_token_timestamp),
  row.job_sha1,
];

const shown = async ({ pool }: TestLedger): Promise<readonly Shown[]> =>
  (await pool.query<(string | null)[]>({ text: SHOWN, rowMode: 'array' })).rows;

const eventCount = async ({ pool }: TestLedger): Promise<string | undefined> =>
  (await pool.query<{ count: string }>('SELECT count(*) FROM jobledger.event')).rows[0]?.count;

describe('the import of a real job table', () => {
  let ledger: TestLedger;
  beforeEach(async () => {
    ledger = await testLedger();
  });
  afterEach(() => ledger.drop());

  it('shows every value of all 4,863 rows as they were, and adds nothing the second time', async () => {
    const { rows } = await readDump(CSV);
    const counts = { alreadyThere: 0, refused: 0, claimed: 5, abandoned: 3, isWhole: true };
    expect(await imported(ledger, CSV)).to.deep.equal({ ...counts, imported: 4_863 });
    await right(ledger.catchUp([jobProjection]));
    const before = await shown(ledger);
    expect(before).to.have.length(4_863);
    expect(before).to.deep.equal(rows.map(expected));
    const events = await eventCount(ledger);
    for (const again of [CSV, PG_COPY]) {
      expect(await imported(ledger, again)).to.include({ imported: 0, alreadyThere: 4_863 });
    }
    expect(await eventCount(ledger)).to.equal(events);
  });

  it('shows every value of a MariaDB table, NUL bytes and bytes that are no text included', async () => {
    const { rows } = await readDump(MYSQLDUMP);
    expect(await imported(ledger, MYSQLDUMP)).to.include({ imported: 1_932, refused: 0 });
    await right(ledger.catchUp([jobProjection]));
    expect(await shown(ledger)).to.deep.equal(rows.map(expected));
    const raw = await ledger.pool.query(
      `SELECT 1 FROM jobledger.job WHERE job_params_raw IS NOT NULL AND job_params LIKE '%see job_params_raw%'`,
    );
    expect(raw.rowCount).to.equal(rows.filter((row) => !isText(row.job_params)).length);
  });
});

const isText = (bytes: Buffer): boolean => !bytes.includes(0) && Buffer.from(bytes.toString()).equals(bytes);
