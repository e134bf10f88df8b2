// Compiles dist/ unless it is already that of the present sources.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, runNode } from './stage.mjs';

const sourceFolders = ['domain', 'projections', 'adapters', 'runners'];

const dist = join(root, 'dist');

const sources = () =>
  sourceFolders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
    )
    .concat('tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/bundle.mjs')
    .sort();

const fingerprint = () => {
  const hash = createHash('sha256');
  for (const name of sources()) {
    const file = statSync(join(root, name));
    if (file.isFile()) hash.update(`${name}\0${file.size}\0${file.mtimeMs}\n`);
  }
  return hash.digest('hex');
};

const stampOf = (folder) => join(folder, '.stamp');

const upToDate = (stamp) => existsSync(stampOf(dist)) && readFileSync(stampOf(dist), 'utf8') === stamp;

export const build = () => {
  const stamp = fingerprint();
  if (upToDate(stamp)) return true;
  // Built beside and moved into place, so that a program running from dist never meets half of it.
  const fresh = join(root, `dist.${process.pid}`);
  const old = `${fresh}.old`;
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    if (!runNode([tsc, '-p', 'tsconfig.build.json', '--outDir', fresh]).ok) return false;
    // Apart from this program, which has to run where nothing is installed yet.
    if (!runNode(['scripts/bundle.mjs', fresh]).ok) return false;
    chmodSync(join(fresh, 'runners/cli.js'), 0o755);
    writeFileSync(stampOf(fresh), stamp);
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
};

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = build() ? 0 : 1;
}
