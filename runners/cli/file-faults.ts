/** Whether a file can be read, or made, told before anything is started for its sake. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'the file may not be read',
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** What is wrong, or undefined. */
export const missingFile = async (path: string): Promise<string | undefined> => {
  try {
    await access(path, constants.R_OK);
    return (await stat(path)).isDirectory() ? 'this is a folder, not a file' : undefined;
  } catch (error) {
    const code = codeOf(error);
    return FAULTS[code] ?? `the file cannot be read (${code})`;
  }
};

const FOLDER_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a folder',
  EACCES: 'may not be written to',
  EROFS: 'may not be written to',
};

/** What keeps a new file from being made there, or undefined. */
export const unwritableFolder = async (path: string): Promise<string | undefined> => {
  const folder = dirname(path);
  try {
    if (!(await stat(folder)).isDirectory()) return `${folder} is not a folder`;
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    return `the folder ${folder} ${FOLDER_FAULTS[code] ?? `cannot be used (${code})`}`;
  }
};
