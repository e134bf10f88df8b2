import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { explainDumpError } from '../../../adapters/mediawiki/index.js';
import { CSV, MYSQLDUMP, PG_COPY, faults, ids, readDump, readText } from './dump-file.js';
import * as sample from './dump-samples.js';

const ROW_CUT = 'DumpTruncated: the file ends inside the row that begins here';

const before = (content: string, text: string): string => content.slice(0, content.indexOf(text));
const behind = (content: string, text: string): string => before(content, text) + text;
const lineOf = (content: string, text: string): number => before(content, text).split('\n').length;

describe('readJobDump of a truncated dump', () => {
  const cuts: readonly (readonly [where: string, content: string, rows: number, fault: string])[] = [
    ['CSV, inside a quoted text', before(sample.csv, 'two"";}'), 1, `3 ${ROW_CUT}`],
    ['CSV, inside the last value', before(sample.csv, '3j94xx8so'), 1, `3 ${ROW_CUT}`],
    ['CSV, before the last value', before(sample.csv, '68q3j94xx8so'), 1, `3 ${ROW_CUT}`],
    ['CSV, between two values', before(sample.csv, 'null,-1,"",,'), 2, `5 ${ROW_CUT}`],
    [
      'COPY, inside a row',
      before(sample.pgCopy, 'sendMail'),
      1,
      `${lineOf(sample.pgCopy, 'sendMail')} ${ROW_CUT}`,
    ],
    [
      'COPY, between two rows',
      before(sample.pgCopy, '2\tsendMail'),
      1,
      `${lineOf(sample.pgCopy, 'sendMail')} DumpTruncated: the file ends inside a COPY block: its closing \\. is missing`,
    ],
    [
      "pg_dump, behind the job table's block",
      before(sample.pgCopy, '--\n-- PostgreSQL database dump complete'),
      3,
      `${lineOf(sample.pgCopy, '--\n-- PostgreSQL database dump complete')} DumpTruncated: the file ends before the dump does: its closing "-- PostgreSQL database dump complete" is missing`,
    ],
    [
      "pg_dump's INSERTs, inside a text",
      before(sample.pgInserts, 'two";}'),
      1,
      `${lineOf(sample.pgInserts, "(2, 'send")} ${ROW_CUT}`,
    ],
    [
      'mysqldump, inside a text',
      before(sample.mysqldump, 'ntwo'),
      1,
      `${lineOf(sample.mysqldump, "(2,'send")} ${ROW_CUT}`,
    ],
    [
      'mysqldump, between two rows',
      before(sample.mysqldump, "(2,'send"),
      1,
      `${lineOf(sample.mysqldump, "(2,'send")} DumpTruncated: the file ends inside an INSERT`,
    ],
    [
      'mysqldump, before a row',
      behind(sample.mysqldump, '`job` VALUES\n'),
      2,
      `${lineOf(sample.mysqldump, '(3,')} DumpTruncated: the file ends inside an INSERT`,
    ],
    [
      'mysqldump, inside CREATE TABLE',
      before(sample.mysqldump, '  KEY `job_cmd`'),
      0,
      `${lineOf(sample.mysqldump, 'CREATE TABLE `job`')} DumpTruncated: the file ends inside the statement that begins here`,
    ],
    [
      'mysqldump, between two statements',
      before(sample.mysqldump, '-- Dump completed'),
      3,
      `${lineOf(sample.mysqldump, '-- Dump completed')} DumpTruncated: the file ends before the dump does: its closing "-- Dump completed" is missing`,
    ],
    [
      "SQLite's dump, between two statements",
      before(sample.sqlite, 'COMMIT'),
      3,
      `${lineOf(sample.sqlite, 'COMMIT')} DumpTruncated: the file ends before the dump does: its closing "COMMIT" is missing`,
    ],
  ];
  for (const [where, content, rows, fault] of cuts) {
    it(`names the line: ${where}`, async () => {
      const dump = await readText(content);
      expect(faults(dump)).to.deep.equal([fault]);
      expect(dump.rows).to.have.length(rows);
    });
  }

  const formats = [sample.csv, sample.pgCopy, sample.pgInserts, sample.mysqldump, sample.sqlite];
  it('never gives a row that the whole dump does not have, wherever it is cut', async () => {
    for (const content of formats) {
      const whole = await readText(content);
      const start = content.indexOf('\n');
      for (let length = start; length < content.length; length += 7) {
        const cut = await readText(content.slice(0, length));
        expect(cut.rows).to.deep.equal(whole.rows.slice(0, cut.rows.length));
        expect(
          cut.errors.every(({ _tag }) => _tag === 'DumpTruncated' || _tag === 'DumpNotRecognised'),
        ).to.equal(true);
        expect(cut.errors.length, content.slice(0, length)).to.be.below(2);
      }
    }
  });

  for (const path of [CSV, PG_COPY, MYSQLDUMP]) {
    it(`names the line where a cut gzip file ends: ${path}`, async () => {
      const gzip = readFileSync(path);
      const cut = await readText(gzip.subarray(0, gzip.length / 2));
      const whole = await readDump(path);
      expect(cut.rows.length).to.be.within(100, whole.rows.length - 100);
      expect(cut.rows).to.deep.equal(whole.rows.slice(0, cut.rows.length));
      const next = whole.rows[cut.rows.length];
      expect(faults(cut)).to.deep.equal([`${next?.line} DumpTruncated: the gzip file ends too early`]);
    });
  }

  it('says so where gzip data are damaged', async () => {
    const gzip = gzipSync(gunzipSync(readFileSync(CSV)).subarray(0, 200_000));
    gzip.fill(0xff, gzip.length / 2, gzip.length / 2 + 50);
    const { rows, errors } = await readText(gzip);
    const lines = new Set(rows.map((row) => row.line));
    expect(lines.size).to.equal(rows.length);
    expect(errors.map(({ _tag }) => _tag)).to.deep.equal(['DumpUnreadable']);
    expect(errors[0]?.message).to.equal('the gzip data are damaged');
  });

  it('says so where there is no such file, or a folder', async () => {
    const missing = await readDump('test/fixtures/mediawiki/missing.sql');
    expect(missing.errors.map(explainDumpError)).to.deep.equal([
      'test/fixtures/mediawiki/missing.sql: there is no such file',
    ]);
    expect(faults(await readDump('test'))).to.deep.equal(['0 DumpUnreadable: this is a folder, not a file']);
  });
});

describe('readJobDump of rows that cannot be taken', () => {
  const header = 'job_id,job_cmd,job_namespace,job_title,job_params\n';
  const long = 'x'.repeat(61);

  it('names the line and the column, and gives the neighbours', async () => {
    const dump = await readText(
      `${header}1,a,0,T,""\n2,${long},0,T,""\n3,"",0,T,""\n4,a@-@b,0,T,""\n5,a,zero,${'T'.repeat(256)},""\n6,a,0,T,\n7,a,0,T,""\n`,
    );
    expect(ids(dump)).to.deep.equal(['1', '7']);
    expect(faults(dump)).to.deep.equal([
      '3 DumpInvalid: job_cmd has 61 bytes, more than 60',
      '4 DumpInvalid: job_cmd is empty',
      '5 DumpInvalid: job_cmd holds @-@',
      '6 DumpInvalid: job_namespace is not an integer; job_title has 256 bytes, more than 255',
      '7 DumpInvalid: job_params is NULL',
    ]);
  });

  it('counts bytes, not characters', async () => {
    const dump = await readText(`${header}1,a,0,${'ü'.repeat(127)},""\n2,a,0,${'ü'.repeat(128)},""\n`);
    expect(ids(dump)).to.deep.equal(['1']);
    expect(faults(dump)).to.deep.equal(['3 DumpInvalid: job_title has 256 bytes, more than 255']);
  });

  it('refuses titles that are not UTF-8, numbers out of range, and days that are none', async () => {
    const dump = await readText(
      [
        "INSERT INTO `job` VALUES (1,'a',0,0xC328,'20261130000000','',0,0,'',NULL,''),",
        "(2,'a',0,'T\\0','20261130000000','',0,0,'',NULL,''),",
        "(3,'a',2147483648,'T','20260231000000','',2147483648,-1,'',NULL,''),",
        "(0,'a',0,'T','2026-11-30 24:00:00+00','',0,0,'',NULL,''),",
        "(4,'a',0,'T','20261130000000','',0,0,'',NULL,'');\n",
      ].join('\n'),
    );
    expect(ids(dump)).to.deep.equal(['4']);
    expect(faults(dump)).to.deep.equal([
      '1 DumpInvalid: job_title is not UTF-8',
      '2 DumpInvalid: job_title holds a NUL byte',
      '3 DumpInvalid: job_namespace is not within -2147483648 and 2147483647; job_timestamp is not a timestamp; job_random is not within 0 and 2147483647; job_attempts is not within 0 and 2147483647',
      '4 DumpInvalid: job_id is not within 1 and 9223372036854775807; job_timestamp is not a timestamp',
    ]);
  });

  it('goes on behind a stray quote in CSV, at the next line that begins like a row', async () => {
    const dump = await readText(
      `${header}1,a,0,T,""\n2,a,0,T,"x"y\n3,a,0,T,"one\ntwo"z\n4,a,0,T,"open\n5,a,0,T,"five"\n6,a,0,T,"six"\n`,
    );
    expect(ids(dump)).to.deep.equal(['1', '5', '6']);
    expect(faults(dump)).to.deep.equal([
      '3 DumpInvalid: something follows the closing quote of value 5',
      '4 DumpInvalid: something follows the closing quote of value 5',
      '6 DumpInvalid: something follows the closing quote of value 5',
    ]);
  });

  it('goes on behind a row with too few values or none that can be read', async () => {
    const dump = await readText(
      "INSERT INTO `job` VALUES (1,'a',0,'T',''),(2,'a',0),(3,'a',0,'T',now()),(4,'a',0,'T',''x),(5,'a',0,'T','');\n" +
        "INSERT INTO `job` SELECT * FROM `old`;\nINSERT INTO `job` VALUES (6,'a',0,'T','') ON DUPLICATE KEY UPDATE job_id=1;\n",
    );
    expect(ids(dump)).to.deep.equal(['1', '5', '6']);
    expect(faults(dump)).to.deep.equal([
      '1 DumpInvalid: has 3 values, which is no layout of a job table',
      '1 DumpInvalid: value 5 is not a literal',
      '1 DumpInvalid: something follows value 5',
    ]);
  });

  it('takes the line ends of Windows, blank lines, and a last row without line end', async () => {
    const dump = await readText(`${header}1,a,0,T,""\r\n2,a,0,T,"x"\r\n\r\n3,a,0,T,"y"`);
    expect(ids(dump)).to.deep.equal(['1', '2', '3']);
    expect(faults(dump)).to.deep.equal([]);
  });
});
