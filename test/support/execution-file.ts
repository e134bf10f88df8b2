// A file that runner processes write their executions to, in a folder that goes with the test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ExecutionFile {
  readonly path: string;
  readonly remove: () => void;
}

export const executionFile = (): ExecutionFile => {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-executions-'));
  const path = join(folder, 'executions');
  writeFileSync(path, '');
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
};
