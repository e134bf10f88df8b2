// Brings PostgreSQL's binaries, complete, within the reach of the account that runs them.
import { chmod, cp, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { executable, hydrate, locateBinaries, type Binaries } from './binaries.js';
import { homeUnusable, type EmbeddedError } from './errors.js';
import { folderOf, type Place } from './place.js';
import { canEnter } from './reach.js';
import { shelterFor } from './shelter.js';
import { codeOf, unlessMissing } from './system-error.js';

export const prepareBinaries = async (
  home: string,
  place: Place,
): Promise<E.Either<EmbeddedError, string>> => {
  const found = await locateBinaries();
  if (E.isLeft(found)) return found;
  const state = await hydrate(found.right.root);
  const reachable = await canEnter(place.account, dirname(executable(found.right.root, 'postgres')));
  if (state === 'complete' && reachable) return E.right(found.right.root);
  const target = await copyTarget(home, place, found.right);
  if (target === undefined) return E.left(homeUnusable(home, 'no folder for a copy of the binaries'));
  if ((await unlessMissing(stat(target))) === undefined) await copyBinaries(found.right.root, target);
  return E.right(target);
};

const copyTarget = async (home: string, place: Place, { version }: Binaries): Promise<string | undefined> => {
  const name = `postgresql-${version}`;
  const inHome = folderOf(home);
  if (place.account === undefined || (await canEnter(place.account, inHome))) return join(inHome, name);
  const shelter = await shelterFor(place.account);
  return shelter === undefined ? undefined : join(shelter, name);
};

const copyBinaries = async (source: string, target: string): Promise<void> => {
  const draft = await mkdtemp(`${target}.`);
  try {
    await cp(join(source, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await hydrate(draft);
    await chmod(draft, 0o755);
    await rename(draft, target).catch((cause: unknown) => {
      // Another ledger's first start was quicker with the same copy.
      if (codeOf(cause) !== 'ENOTEMPTY' && codeOf(cause) !== 'EEXIST') throw cause;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};
