// What /proc tells about processes. Where there is no /proc, a process counts as what its number says.
import { readFile, readdir, readlink } from 'node:fs/promises';
import { codeOf } from './system-error.js';

export interface ProcessFacts {
  readonly zombie: boolean;
  readonly startTime: string;
  readonly commandLine: string;
  readonly folder: string | undefined;
}

const hasProc = process.platform === 'linux';

const readProc = (path: string): Promise<string | undefined> =>
  readFile(`/proc/${path}`, 'utf8').catch(() => undefined);

const folderOfProcess = (pid: number | string): Promise<string | undefined> =>
  readlink(`/proc/${pid}/cwd`).catch(() => undefined);

export const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return codeOf(cause) === 'EPERM';
  }
};

export const processFacts = async (pid: number): Promise<ProcessFacts | undefined> => {
  if (!exists(pid)) return undefined;
  if (!hasProc) return { zombie: false, startTime: '', commandLine: '', folder: undefined };
  const stat = await readProc(`${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may itself hold blanks and parentheses, so fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const commandLine = (await readProc(`${pid}/cmdline`)) ?? '';
  return {
    zombie: fields[0] === 'Z',
    startTime: fields[19] ?? '',
    commandLine,
    folder: await folderOfProcess(pid),
  };
};

export const bootId = async (): Promise<string> => {
  if (!hasProc) return '';
  return ((await readProc('sys/kernel/random/boot_id')) ?? '').replaceAll(/[^0-9a-f]/g, '');
};

// PostgreSQL's processes all work in their data folder, whatever they call themselves.
export const anyProcessIn = async (folder: string): Promise<boolean> => {
  if (!hasProc) return true;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map(folderOfProcess));
  return folders.includes(folder);
};
