// One process at a time may start or stop the server of a home.
//
// Every contender announces itself by a file of its own and then looks whether another stands there. Names are
// never used twice and tell who made them, so a dead process's file can be removed by anyone: with one shared
// file, two who find it stale could each remove the other's fresh one.
import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pause } from '../pause.js';
import { busy, type EmbeddedError } from './errors.js';
import { makeFolder } from './make-folder.js';
import { bootId, processFacts } from './process-table.js';

const fileName = /^(\d+)-(\d*)-([0-9a-f]*)-([0-9a-f]+)$/;

const ownName = async (): Promise<string> => {
  const startTime = (await processFacts(process.pid))?.startTime ?? '';
  return [process.pid, startTime, await bootId(), randomBytes(6).toString('hex')].join('-');
};

const isLive = async (name: string): Promise<boolean> => {
  const [, pid, startTime, boot] = fileName.exec(name) ?? [];
  if (boot !== (await bootId())) return false;
  const facts = await processFacts(Number(pid));
  return facts !== undefined && !facts.zombie && facts.startTime === startTime;
};

const otherHolder = async (folder: string, own: string): Promise<number | undefined> => {
  for (const name of await readdir(folder)) {
    if (name === own || !fileName.test(name)) continue;
    if (await isLive(name)) return Number.parseInt(name, 10);
    await rm(join(folder, name), { force: true });
  }
  return undefined;
};

export interface Waiting {
  readonly deadlineMs: number;
  // Asked before every look: what the others were doing may have made the wish come true.
  readonly fulfilled: () => Promise<boolean>;
}

export type Held = { readonly release: () => Promise<void> } | 'fulfilled';

export const acquire = async (base: string, waiting: Waiting): Promise<E.Either<EmbeddedError, Held>> => {
  const folder = resolve(base, 'lock');
  await makeFolder(folder);
  const own = await ownName();
  const path = join(folder, own);
  const release = (): Promise<void> => rm(path, { force: true });
  const end = performance.now() + waiting.deadlineMs;
  for (;;) {
    if (await waiting.fulfilled()) return E.right('fulfilled');
    let holder = await otherHolder(folder, own);
    if (holder === undefined) {
      await writeFile(path, '', { flag: 'wx' });
      holder = await otherHolder(folder, own);
      if (holder === undefined) return E.right({ release });
      await release();
    }
    if (performance.now() > end) return E.left(busy(holder));
    await pause(5 + Math.random() * 30);
  }
};
