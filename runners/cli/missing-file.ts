/** Whether a file can be read, told before anything is started for its sake. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'the file may not be read',
};

/** What is wrong, or undefined. */
export const missingFile = async (path: string): Promise<string | undefined> => {
  try {
    await access(path, constants.R_OK);
    return (await stat(path)).isDirectory() ? 'this is a folder, not a file' : undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return FAULTS[code] ?? `the file cannot be read (${code})`;
  }
};
