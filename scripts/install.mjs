// Installs the dependencies of a clone, or of a folder of it with its own, when they are missing or older than the lock file.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNpm } from './stage.mjs';

const modifiedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

const installed = (place) => {
  const done = modifiedAt(join(place, 'node_modules/.package-lock.json'));
  return done !== undefined && done >= (modifiedAt(join(place, 'package-lock.json')) ?? 0);
};

export const install = (folder = '.') => {
  const place = join(root, folder);
  if (installed(place)) return true;
  const what = folder === '.' ? 'the dependencies' : `the dependencies of ${folder}`;
  process.stderr.write(`installing ${what} (npm ci; a minute or so, once) …\n`);
  // `prepare` is left out: whoever installs from here builds next, and wants to see that fail as a build.
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const { ok, output } = runNpm(args, { cwd: place, stdio: ['ignore', 'pipe', 'pipe'] });
  if (!ok) process.stderr.write(`${output}\nnpm ci failed: see its words above.\n`);
  return ok;
};
