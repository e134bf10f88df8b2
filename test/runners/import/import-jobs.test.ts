import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { explainDumpError } from '../../../adapters/mediawiki/index.js';
import { isoOf } from '../../../domain/instant.js';
import { defineJob } from '../../../runners/define-job.js';
import { importJobs, type ImportResult } from '../../../runners/import/import-jobs.js';
import { startWork } from '../../../runners/work.js';
import { testLedger, type TestLedger } from '../../support/ledger.js';

const HEADER =
  'job_id,job_cmd,job_namespace,job_title,job_timestamp,job_params,job_random,job_attempts,job_token,job_token_timestamp,job_sha1';
const EMPTY = 'a:0:{}';

const line = (id: number, params = EMPTY, claim = '0,"",'): string =>
  `${id},null,-1,"",2026-03-01 11:00:00+00,"${params.replaceAll('"', '""')}",${id},${claim},eg4ysnoqw9wmg68mzufozc1eac7mnrv`;

describe('importJobs', () => {
  let ledger: TestLedger;
  let folder: string;
  let told: string[];
  before(async () => {
    ledger = await testLedger();
    folder = mkdtempSync(join(tmpdir(), 'jobledger-import-'));
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await ledger.drop();
  });
  beforeEach(() => {
    told = [];
  });

  const importText = async (text: string, wiki: string, claimTtlSeconds = 3_600): Promise<ImportResult> => {
    const path = join(folder, 'job.csv');
    writeFileSync(path, text);
    const onFault = (error: Parameters<typeof explainDumpError>[0]) =>
      told.push(explainDumpError({ ...error, path: 'job.csv' }));
    const result = await importJobs(ledger, { path, wiki, claimTtlSeconds, onFault });
    if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
    return result.right;
  };

  const drain = async (wiki: string): Promise<readonly number[]> => {
    const attempts: number[] = [];
    const handler = defineJob({ type: '*', run: (_job, { attempt }) => attempts.push(attempt) });
    await startWork(ledger, { handlers: [handler], wikis: [wiki], drain: true, log: () => undefined }).done;
    return attempts;
  };

  it('refuses a row with its line and the reason, and takes its neighbours', async () => {
    const text = [HEADER, line(1), line(2, 'a:1:{'), line(3)].join('\n');
    expect(await importText(text, 'neighbours')).to.include({ imported: 2, refused: 1, isWhole: true });
    expect(told).to.have.length(1);
    expect(told[0]).to.match(/^job\.csv, line 3: job_params cannot be unserialised/);
  });

  it('keeps what was read before a dump ends too early, and adds only the rest the next time', async () => {
    const whole = `${[HEADER, line(1), line(2), line(3, 'a:1:{s:1:"a";s:1:"b";}')].join('\n')}\n`;
    const half = whole.slice(0, whole.lastIndexOf('""b""'));
    expect(await importText(half, 'truncated')).to.include({ imported: 2, refused: 0, isWhole: false });
    expect(told).to.have.length(1);
    expect(told[0]).to.match(/^job\.csv, line 4: /);
    expect(await importText(whole, 'truncated')).to.include({ imported: 1, alreadyThere: 2, isWhole: true });
  });

  it('takes a row that the dump holds twice once', async () => {
    const text = [HEADER, line(1), line(1)].join('\n');
    expect(await importText(text, 'twice')).to.include({ imported: 1, alreadyThere: 1 });
  });

  it('gives the jobs numbers in the order of the rows', async () => {
    const ids = [9, 4, 7];
    await importText([HEADER, ...ids.map((id) => line(id))].join('\n'), 'ordered');
    const { rows } = await ledger.pool.query<{ id: string }>(
      `SELECT data->'imported'->>'jobId' AS id FROM jobledger.event
       WHERE data->>'wiki' = 'ordered' ORDER BY (data->>'number')::bigint`,
    );
    expect(rows.map(({ id }) => Number(id))).to.deep.equal(ids);
  });

  it('lets nobody claim a claimed row before its time there has run out, and anybody behind it', async () => {
    const token = 'c'.repeat(32);
    const secondsAgo = (seconds: number): string => {
      const moment = isoOf(Date.now() - seconds * 1_000);
      return `${moment.slice(0, 10)} ${moment.slice(11, 19)}+00`;
    };
    const held = line(1, EMPTY, `1,${token},${secondsAgo(600)}`);
    const runOut = line(2, EMPTY, `1,${token},${secondsAgo(4_000)}`);
    const abandoned = line(3, EMPTY, `3,${token},${secondsAgo(4_000)}`);
    const free = line(4);
    const result = await importText([HEADER, held, runOut, abandoned, free].join('\n'), 'claims');
    expect(result).to.include({ imported: 4, claimed: 2, abandoned: 1 });
    expect(await drain('claims')).to.have.members([1, 2]);
    expect(await drain('claims')).to.deep.equal([]);
  });
});
