// Where root may put what an unprivileged user has to enter, when that user cannot enter home.
import { chmod, lstat } from 'node:fs/promises';
import type { Account } from './account.js';
import { makeFolder } from './make-folder.js';
import { canEnter } from './reach.js';

// /var/tmp survives a reboot, /tmp need not.
export const shelters = ['/var/lib/jobledger', '/var/tmp/jobledger'];

// A folder that somebody else laid out in a place open to all is not to be trusted.
const isOurs = async (folder: string): Promise<boolean> => {
  const found = await lstat(folder);
  return found.isDirectory() && found.uid === 0;
};

const made = (folder: string): Promise<boolean> =>
  makeFolder(folder).then(
    () => true,
    () => false,
  );

export const shelterFor = async (account: Account): Promise<string | undefined> => {
  for (const shelter of shelters) {
    if (!(await made(shelter)) || !(await isOurs(shelter))) continue;
    await chmod(shelter, 0o755);
    if (await canEnter(account, shelter)) return shelter;
  }
  return undefined;
};
