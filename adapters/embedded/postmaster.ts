// Reads postmaster.pid and judges whether the server it names is alive, and is the one of this data folder.
import { readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './place.js';
import { anyProcessIn, processFacts, type ProcessFacts } from './process-table.js';
import { unlessMissing } from './system-error.js';

export type Postmaster =
  | { readonly state: 'absent' }
  | { readonly state: 'stale' }
  | { readonly state: 'starting'; readonly pid: number }
  | { readonly state: 'ready'; readonly pid: number; readonly port: number };

const pidFile = (data: string): string => join(data, 'postmaster.pid');

// Process numbers are used again, after a reboot and in containers.
const serves = async ({ commandLine, folder }: ProcessFacts, data: string): Promise<boolean> => {
  const nothingKnown = commandLine === '' && folder === undefined;
  return nothingKnown || folder === (await realpath(data)) || commandLine.split('\0').includes(data);
};

export const postmasterAt = async (data: string): Promise<Postmaster> => {
  const text = await unlessMissing(readFile(pidFile(data), 'utf8'));
  if (text === undefined) return { state: 'absent' };
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return { state: 'stale' };
  const facts = await processFacts(pid);
  if (facts === undefined || facts.zombie) return { state: 'stale' };
  if (!(await serves(facts, data))) return { state: 'stale' };
  const port = Number(lines[3]);
  return lines[7]?.trim() === 'ready' ? { state: 'ready', pid, port } : { state: 'starting', pid };
};

// PostgreSQL itself passes over the file of a process that is gone, but not over that of a zombie or of another
// process with the same number. Its file is removed only once no process of the old server is left, since it
// also guards the shared memory that those may still use.
export const clearStale = async (place: Place): Promise<void> => {
  if ((await postmasterAt(place.data)).state !== 'stale') return;
  if (!(await anyProcessIn(await realpath(place.data)))) await rm(pidFile(place.data), { force: true });
};
