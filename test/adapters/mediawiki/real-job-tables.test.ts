import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { type JobRow, readJobParams } from '../../../adapters/mediawiki/index.js';
import { base36OfHex } from '../../../domain/job/base36.js';
import { canonical, dedupInfo } from '../../../domain/job/dedup-info.js';
import { phpSerialize } from '../../../domain/job/php-array.js';
import type { JsonObject } from '../../../domain/json.js';
import { CSV, MYSQLDUMP, PG_COPY, readDump } from './dump-file.js';

const sha1 = (text: string): string => base36OfHex(createHash('sha1').update(text).digest('hex'));

const without = (params: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)));

/** A MediaWiki JobSpecification hashes its params in the order in which they were given. */
const specification = (row: JobRow, params: JsonObject, ...dropped: readonly string[]): string =>
  phpSerialize({
    type: row.job_cmd,
    params: without(params, 'rootJobSignature', 'rootJobTimestamp', 'jobReleaseTimestamp', ...dropped),
  });

/** A MediaWiki Job: the page, where there is one, is among its params already. */
const job = (row: JobRow, params: JsonObject): string => dedupInfo({ type: row.job_cmd, params });

/** What this program's own enqueue of the same work would be hashed as. */
const own = (row: JobRow, params: JsonObject): string => {
  const { namespace, title, ...rest } = params;
  const page = typeof namespace === 'number' && typeof title === 'string' ? { namespace, title } : undefined;
  return dedupInfo({ type: row.job_cmd, ...page, params: canonical(page === undefined ? params : rest) });
};

/** Named as in the table of expected counts. */
const formulas = (row: JobRow, params: JsonObject): Readonly<Record<string, string>> => ({
  'Job(drop4+ksort)': job(row, params),
  'Spec139(drop3,no sort)': specification(row, params),
  'SpecNew(drop4,no sort)': specification(row, params, 'requestId'),
  'Job+dropRevTs': job(row, without(params, 'revTimestamp')),
  'Spec139+dropRevTs': specification(row, params, 'revTimestamp'),
});

const paramsOf = (row: JobRow): JsonObject => {
  const params = readJobParams(row.job_params);
  if (E.isLeft(params)) throw new Error(`job ${row.job_id}: ${params.left.message}`);
  return params.right;
};

const matching = (row: JobRow): string[] =>
  Object.entries(formulas(row, paramsOf(row)))
    .filter(([, info]) => sha1(info) === row.job_sha1)
    .map(([name]) => name);

const counts = (labels: readonly string[]): Map<string, number> => {
  const count = new Map<string, number>();
  for (const label of labels) count.set(label, (count.get(label) ?? 0) + 1);
  return count;
};

describe("a real MediaWiki's job table", () => {
  it('is read whole, and the same, from CSV and from pg_dump', async () => {
    const csv = await readDump(CSV);
    const copy = await readDump(PG_COPY);
    expect(csv.errors).to.deep.equal([]);
    expect(copy.errors).to.deep.equal([]);
    expect(csv.rows).to.have.length(4863);
    const byId = (rows: readonly JobRow[]) =>
      rows.map(({ line: _line, ...row }) => row).toSorted((a, b) => Number(a.job_id - b.job_id));
    expect(byId(copy.rows)).to.deep.equal(byId(csv.rows));
  });

  for (const path of [CSV, PG_COPY, MYSQLDUMP]) {
    it(`is read the same in small pieces from ${path}`, async () => {
      expect(await readDump(path, 997)).to.deep.equal(await readDump(path));
    });
  }

  it('keeps every value of a row, times in UTC', async () => {
    const { rows } = await readDump(CSV);
    const params =
      'a:4:{s:4:"type";s:11:"cacheUpdate";s:9:"namespace";i:-1;s:5:"title";s:13:"RecentChanges";s:9:"requestId";s:24:"9a5cc86e638eaeb7a4b53802";}';
    expect(rows[0]).to.deep.equal({
      line: 2,
      job_id: 1n,
      job_cmd: 'recentChangesUpdate',
      job_namespace: -1,
      job_title: 'RecentChanges',
      job_timestamp: '2026-11-30T11:01:51Z',
      job_params: Buffer.from(params),
      job_random: 742790177,
      job_attempts: 0,
      job_token: '',
      job_token_timestamp: null,
      job_sha1: 'p42glrsl783wj55io7lxhmhxf0e5db5',
    });
    const claimed = rows.filter((row) => row.job_token !== '');
    expect(claimed.map((row) => row.job_attempts).toSorted((a, b) => a - b)).to.deep.equal([
      1, 1, 1, 1, 1, 3, 3, 3,
    ]);
    expect(claimed.every((row) => row.job_token_timestamp !== null)).to.equal(true);
  });

  it('has every job_sha1 reproduced by the formulas that MediaWiki is known to use', async () => {
    const { rows } = await readDump(CSV);
    const found = counts(rows.map((row) => `${row.job_cmd} : ${matching(row).join(' | ')}`));
    const lines = [...found]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([label, count]) => `${count}\t${label}`);
    const expected = readFileSync('test/fixtures/mediawiki/job-sha1-formulas.txt', 'utf8');
    expect(`${lines.join('\n')}\nrows=${rows.length} unmatched=0\n`).to.equal(expected);
  });

  it('would have had the same hashes from our own enqueues, but where nested keys stand in no order', async () => {
    const { rows } = await readDump(CSV);
    const pushed = rows.filter((row) => matching(row).includes('Job(drop4+ksort)'));
    const others = pushed.filter((row) => sha1(own(row, paramsOf(row))) !== row.job_sha1);
    expect(pushed.length).to.equal(3_702);
    expect(others.map(({ job_cmd }) => job_cmd).toSorted((a, b) => (a < b ? -1 : 1))).to.deep.equal([
      'enqueue',
      'refreshLinks',
    ]);
  });

  it('has params that are the same bytes again when written from JSON', async () => {
    const { rows } = await readDump(CSV);
    const changed = rows.filter((row) => !Buffer.from(phpSerialize(paramsOf(row))).equals(row.job_params));
    expect(changed.map((row) => row.job_id)).to.deep.equal([]);
  });
});

describe("a real MediaWiki's job table in MariaDB", () => {
  it('is read whole, with NUL bytes and text that is not UTF-8', async () => {
    const { rows, errors } = await readDump(MYSQLDUMP);
    expect(errors).to.deep.equal([]);
    expect(rows).to.have.length(1932);
    expect(rows.filter((row) => row.job_params.includes(0)).length).to.be.above(0);
    expect(Math.max(...rows.map((row) => row.job_params.length))).to.be.above(12_000);
  });

  it('has the params and the job_sha1 of every row reproduced where JSON can carry the params', async () => {
    const { rows } = await readDump(MYSQLDUMP);
    const binary = rows.filter((row) =>
      JSON.stringify(paramsOf(row)).includes('data:application/octet-stream'),
    );
    const text = rows.filter((row) => !binary.includes(row));
    const changed = text.filter((row) => !Buffer.from(phpSerialize(paramsOf(row))).equals(row.job_params));
    expect(changed.map((row) => row.job_id)).to.deep.equal([]);
    expect(text.filter((row) => matching(row).length === 0).map((row) => row.job_id)).to.deep.equal([]);
    expect(binary.map((row) => row.job_id)).to.deep.equal([1864n]);
    // The one that is left was pushed as a JobSpecification: its params are hashed byte for byte as they are stored.
    const [head, tail] = [Buffer.from('a:2:{s:4:"type";s:4:"null";s:6:"params";'), Buffer.from('}')];
    for (const { job_params: params, job_sha1: hash } of binary) {
      const info = Buffer.concat([head, params, tail]);
      expect(base36OfHex(createHash('sha1').update(info).digest('hex'))).to.equal(hash);
    }
  });
});
