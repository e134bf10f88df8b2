import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { type DumpError, type JobRow, readJobDump } from '../../../adapters/mediawiki/index.js';

export const CSV = 'demo/data/mediawiki-job.csv.gz';
export const PG_COPY = 'test/fixtures/mediawiki/job.pg-copy.sql.gz';
export const MYSQLDUMP = 'test/fixtures/mediawiki/job.mysqldump.sql.gz';

export interface DumpContent {
  readonly rows: readonly JobRow[];
  readonly errors: readonly DumpError[];
}

export const readDump = async (path: string, pieceLength?: number): Promise<DumpContent> => {
  const rows: JobRow[] = [];
  const errors: DumpError[] = [];
  for await (const item of readJobDump(path, pieceLength)) {
    if (E.isRight(item)) rows.push(item.right);
    else errors.push(item.left);
  }
  return { rows, errors };
};

/** What is read of a file with this content. */
export const readText = async (content: string | Buffer, pieceLength?: number): Promise<DumpContent> => {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-dump-'));
  try {
    const path = join(folder, 'job.dump');
    writeFileSync(path, content);
    return await readDump(path, pieceLength);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Line and kind of every error, and what it says. */
export const faults = ({ errors }: DumpContent): string[] =>
  errors.map(({ _tag, line, message }) => `${line} ${_tag}: ${message}`);

export const ids = ({ rows }: DumpContent): string[] => rows.map((row) => String(row.job_id));
