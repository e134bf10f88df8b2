import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { faults, ids, readText } from './dump-file.js';
import * as sample from './dump-samples.js';

const formats = {
  CSV: sample.csv,
  "pg_dump's COPY": sample.pgCopy,
  "pg_dump's INSERTs": sample.pgInserts,
  mysqldump: sample.mysqldump,
  "SQLite's dump": sample.sqlite,
};

const OLD_ROW = "INSERT INTO `job` VALUES (9,'refreshLinks',0,'Main_Page','a:0:{}');";

describe('readJobDump', () => {
  for (const [name, content] of Object.entries(formats)) {
    it(`reads ${name}, whatever stands around the job table`, async () => {
      const dump = await readText(content);
      expect(faults(dump)).to.deep.equal([]);
      expect(dump.rows.map((row) => row.job_params.toString())).to.deep.equal(sample.params);
      expect(ids(dump)).to.deep.equal(['1', '2', '3']);
      const [plain, claimed, bare] = dump.rows;
      expect(plain).to.include({
        job_title: '',
        job_namespace: -1,
        job_token: '',
        job_token_timestamp: null,
      });
      expect(plain?.job_timestamp).to.equal('2026-11-30T11:01:51Z');
      expect(claimed?.job_timestamp).to.match(/^2026-11-30T11:01:52(\.5)?Z$/);
      expect(claimed).to.include({
        job_title: 'Ünï',
        job_attempts: 1,
        job_token: '0123456789abcdef0123456789abcdef',
      });
      expect(claimed?.job_token_timestamp).to.equal('2026-11-30T11:02:00Z');
      expect(bare?.job_timestamp).to.equal(null);
    });
  }

  for (const [name, content] of Object.entries({
    mysqldump: sample.mysqldumpOf(400),
    pg_dump: sample.pgInsertsOf(400),
  })) {
    it(`goes over hundreds of other tables in ${name}, in pieces of any length`, async () => {
      for (const length of [61, 1009, 65537]) {
        const dump = await readText(content, length);
        expect(faults(dump), `pieces of ${length}`).to.deep.equal([]);
        expect(ids(dump), `pieces of ${length}`).to.deep.equal(['1', '2', '3']);
      }
    });
  }

  it('goes over a long statement of another table, whatever its texts and comments hold', async () => {
    const trap = '; INSERT INTO job VALUES (4); ';
    const long = {
      mysqldump: `INSERT INTO \`page\` VALUES ${`(1,'\\'${trap}'),\n(2,"\\"${trap}\\\\"/*${trap}*/),--${trap}\n`.repeat(3000)}(3,'');\n`,
      pg_dump: `CREATE VIEW v AS ${`SELECT $a$${trap}$a$, 'a''${trap}', E'\\'${trap}\\\\', b-c/d --${trap}\n/*${trap}*/ UNION `.repeat(3000)} SELECT 1;\n`,
    };
    for (const length of [61, 64, 67, 1009]) {
      const mysql = await readText(
        sample.mysqldump.replace('DELIMITER', () => `${long.mysqldump}DELIMITER`),
        length,
      );
      expect({ ids: ids(mysql), faults: faults(mysql) }).to.deep.equal({ ids: ['1', '2', '3'], faults: [] });
      const pg = await readText(
        sample.pgInserts.replace('CREATE FUNCTION', () => `${long.pg_dump}CREATE FUNCTION`),
        length,
      );
      expect({ ids: ids(pg), faults: faults(pg) }).to.deep.equal({ ids: ['1', '2', '3'], faults: [] });
    }
  });

  it('gives the line on which each row begins', async () => {
    const { rows } = await readText(sample.csv);
    expect(rows.map((row) => row.line)).to.deep.equal([2, 3, 5]);
  });

  it('gives rows of older layouts the defaults of the newer columns', async () => {
    const { rows } = await readText(OLD_ROW);
    expect(rows[0]).to.deep.equal({
      line: 1,
      job_id: 9n,
      job_cmd: 'refreshLinks',
      job_namespace: 0,
      job_title: 'Main_Page',
      job_timestamp: null,
      job_params: Buffer.from('a:0:{}'),
      job_random: 0,
      job_attempts: 0,
      job_token: '',
      job_token_timestamp: null,
      job_sha1: '',
    });
    const since119 = await readText("INSERT INTO `job` VALUES (9,'a',0,'M','20120101000000','a:0:{}');");
    expect(since119.rows[0]?.job_timestamp).to.equal('2012-01-01T00:00:00Z');
  });

  it('finds the table under any prefix, with columns in any order', async () => {
    const dump = await readText(
      "INSERT INTO `mw_job` (`job_params`, `job_title`, `job_namespace`, `job_cmd`, `job_id`) VALUES ('','T',1,'null',4);",
    );
    expect(faults(dump)).to.deep.equal([]);
    expect(dump.rows[0]).to.include({ job_id: 4n, job_namespace: 1, job_title: 'T', job_cmd: 'null' });
  });

  it('reads one job table only, and says which it leaves out', async () => {
    const other = OLD_ROW.replace('`job`', '`second`.`job`');
    const dump = await readText([OLD_ROW, other, other, ''].join('\n'));
    expect(ids(dump)).to.deep.equal(['9']);
    expect(faults(dump)).to.deep.equal([
      '2 DumpInvalid: the rows of second.job are left out: those of job are read',
    ]);
    const databases = await readText(['USE `one`;', OLD_ROW, 'USE `two`;', OLD_ROW, ''].join('\n'));
    expect(faults(databases)).to.deep.equal([
      '4 DumpInvalid: the rows of two.job are left out: those of one.job are read',
    ]);
  });

  it("reads SQLite's newer notation of control characters", async () => {
    const dump = await readText(
      "INSERT INTO job VALUES (1,'a',0,'',unistr('one\\u000atwo \\\\ \\+01f600'));",
    );
    expect(dump.rows[0]?.job_params.toString()).to.equal('one\ntwo \\ 😀');
  });

  it('reads an empty table as no rows', async () => {
    expect(await readText(sample.csv.split('\n', 1)[0] ?? '')).to.deep.equal({ rows: [], errors: [] });
    const noRows = sample.sqlite.replaceAll(/^INSERT.*\n/gm, '');
    expect(await readText(noRows)).to.deep.equal({ rows: [], errors: [] });
  });
});

describe('readJobDump of something else', () => {
  const others: readonly (readonly [what: string, content: string | Buffer, message: string])[] = [
    ['an empty file', '', 'the file is empty'],
    [
      'prose',
      'Dear wiki,\n',
      'not a job table as mysqldump, pg_dump, SQLite or \\copy … csv header writes it',
    ],
    [
      'another CSV',
      'page_id,page_title\n1,Main\n',
      'not a job table as mysqldump, pg_dump, SQLite or \\copy … csv header writes it',
    ],
    ['a dump without jobs', 'CREATE TABLE page (page_id int);\n', 'there is no job table in this dump'],
    [
      'an archive of pg_dump',
      'PGDMP\u0001',
      'this is an archive of pg_dump: pg_restore -f job.sql makes SQL of it',
    ],
    ['a SQLite database', 'SQLite format 3\0', "this is a SQLite database: its '.dump job' makes SQL of it"],
    [
      'a gzip of prose',
      gzipSync('Dear wiki'),
      'not a job table as mysqldump, pg_dump, SQLite or \\copy … csv header writes it',
    ],
  ];
  for (const [what, content, message] of others) {
    it(`says so for ${what}`, async () => {
      expect(faults(await readText(content))).to.deep.equal([`0 DumpNotRecognised: ${message}`]);
    });
  }
});
