// Whether an account can enter a folder, judged by the permissions on the way to it.
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Account } from './account.js';

const executeBit = (mode: number, owner: Account, uid: number, gid: number): boolean => {
  if (owner.uid === uid) return (mode & 0o100) !== 0;
  if (owner.gid === gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
};

const waysTo = (path: string): readonly string[] => {
  const parent = dirname(path);
  return parent === path ? [path] : [...waysTo(parent), path];
};

export const canEnter = async (account: Account | undefined, folder: string): Promise<boolean> => {
  if (account === undefined) return true;
  for (const step of waysTo(await realpath(folder))) {
    const { mode, uid, gid } = await stat(step);
    if (!executeBit(mode, account, uid, gid)) return false;
  }
  return true;
};
