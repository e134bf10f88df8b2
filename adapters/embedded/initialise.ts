// Creates the data folder: in a draft beside it, moved into place when it is complete and on disk.
import { randomBytes } from 'node:crypto';
import {
  appendFile,
  chown,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { Account } from './account.js';
import { initFailed, type EmbeddedError } from './errors.js';
import { folderOf, type Place } from './place.js';
import { run, type Program } from './run.js';
import { settingsFile } from './settings.js';
import { unlessMissing } from './system-error.js';

export const superuser = 'jobledger';
export const database = 'jobledger';

const passwordFile = (home: string): string => join(folderOf(home), 'password');

export const passwordOf = async (home: string): Promise<string> =>
  (await readFile(passwordFile(home), 'utf8')).trim();

export const isInitialised = async (place: Place): Promise<boolean> =>
  (await unlessMissing(stat(join(place.data, 'PG_VERSION')))) !== undefined;

const own = async (path: string, account: Account | undefined): Promise<void> => {
  if (account !== undefined) await chown(path, account.uid, account.gid);
};

// Without it a power cut could take back a new name; Windows knows no such thing.
const sync = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const removeDrafts = async (base: string): Promise<void> => {
  const drafts = (await readdir(base)).filter((name) => name.startsWith('draft-'));
  // The initdb of a killed starter may still be writing into one.
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };
  await Promise.all(drafts.map((name) => rm(join(base, name), options)));
};

// One call for the whole file system: 0.2 s, where a call for each of a thousand files took 1.7 to 3.2 s on a busy disk.
const syncMethod = process.platform === 'linux' ? ['--sync-method=syncfs'] : [];

const steps = (data: string, secret: string): readonly Pick<Program, 'name' | 'args' | 'input'>[] => [
  {
    name: 'initdb',
    args: [
      `--pgdata=${data}`,
      `--username=${superuser}`,
      `--pwfile=${secret}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
  },
  // Single-user mode: the database is there before anybody can connect. The next step makes all of it durable.
  {
    name: 'postgres',
    args: ['--single', '-F', '-D', data, 'postgres'],
    input: `CREATE DATABASE ${database}\n`,
  },
  { name: 'initdb', args: ['--sync-only', ...syncMethod, `--pgdata=${data}`] },
];

const configure = async (data: string, account: Account | undefined): Promise<void> => {
  const path = join(data, settingsFile);
  await writeFile(path, '');
  await own(path, account);
  await appendFile(join(data, 'postgresql.conf'), `\ninclude '${settingsFile}'\n`);
};

export const initialise = async (
  home: string,
  place: Place,
  binaries: string,
): Promise<E.Either<EmbeddedError, void>> => {
  await removeDrafts(place.base);
  const draft = await mkdtemp(join(place.base, 'draft-'));
  try {
    await own(draft, place.account);
    const data = join(draft, 'data');
    await mkdir(data, { mode: 0o700 });
    await own(data, place.account);
    const password = randomBytes(24).toString('base64url');
    const secret = join(draft, 'password');
    await writeFile(secret, password, { mode: 0o600 });
    await own(secret, place.account);
    for (const step of steps(data, secret)) {
      const { ok, output } = await run({ binaries, account: place.account, ...step });
      if (!ok) return E.left(initFailed(output));
      if (step.args.includes('--no-sync')) await configure(data, place.account);
    }
    // The password first: data without it could never be entered.
    await rm(passwordFile(home), { force: true });
    await writeFile(passwordFile(home), `${password}\n`, { mode: 0o600, flush: true });
    await rename(data, place.data);
    await sync(place.base);
    await sync(folderOf(home));
    return E.right(undefined);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};
