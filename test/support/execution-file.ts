// A file that runner processes write their executions to, in a folder that goes with the test.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ExecutionFile {
  readonly path: string;
  /** How many jobs have begun; each line is looked at once, however often one asks. */
  readonly begun: () => number;
  readonly remove: () => void;
}

export const executionFile = (): ExecutionFile => {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-executions-'));
  const path = join(folder, 'executions');
  writeFileSync(path, '');
  return {
    path,
    begun: begunIn(path),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};

const PIECE = Buffer.alloc(64 * 1024);

const begunIn = (path: string): (() => number) => {
  const jobs = new Set<string>();
  let [offset, rest] = [0, ''];
  return () => {
    const file = openSync(path, 'r');
    for (let bytes = 0; (bytes = readSync(file, PIECE, 0, PIECE.length, offset)) > 0; offset += bytes) {
      const lines = (rest + PIECE.toString('latin1', 0, bytes)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) jobs.add(line.split(' ', 1)[0] ?? '');
    }
    closeSync(file);
    return jobs.size;
  };
};
