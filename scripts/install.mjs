// Installs the dependencies of a clone when they are missing or older than the lock file.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNpm } from './stage.mjs';

const modifiedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs;

const installed = () => {
  const done = modifiedAt('node_modules/.package-lock.json');
  return done !== undefined && done >= (modifiedAt('package-lock.json') ?? 0);
};

export const install = () => {
  if (installed()) return true;
  process.stderr.write('installing the dependencies (npm ci; a minute or so, once) …\n');
  // `prepare` is left out: whoever installs from here builds next, and wants to see that fail as a build.
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const { ok, output } = runNpm(args, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (!ok) process.stderr.write(`${output}\nnpm ci failed: see its words above.\n`);
  return ok;
};
