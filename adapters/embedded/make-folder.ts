// Makes a folder and those above it, one by one: where one cannot be made (in /proc), Node's own recursive way never ends.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, unlessMissing } from './system-error.js';

const unlessThere = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder);
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
  }
};

/** @param path absolute */
export const makeFolder = async (path: string): Promise<void> => {
  const missing: string[] = [];
  for (
    let folder = path;
    folder !== dirname(folder) && (await unlessMissing(stat(folder))) === undefined;
    folder = dirname(folder)
  )
    missing.unshift(folder);
  for (const folder of missing) await unlessThere(folder);
};
