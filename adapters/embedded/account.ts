// PostgreSQL refuses to run as root; as root it is run as a user that exists already.
import { readFile, stat } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { noUnprivilegedUser, type EmbeddedError } from './errors.js';
import { unlessMissing } from './system-error.js';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const candidates = ['postgres', 'nobody'];

const accountsOf = (passwd: string): readonly Account[] =>
  passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    const account = { name: name ?? '', uid: Number(uid), gid: Number(gid) };
    return account.uid > 0 && account.gid > 0 ? [account] : [];
  });

// Undefined means: as whoever we are. A data folder that exists keeps its owner.
export const accountFor = async (
  dataFolder: string,
): Promise<E.Either<EmbeddedError, Account | undefined>> => {
  if (process.getuid?.() !== 0) return E.right(undefined);
  const owner = await unlessMissing(stat(dataFolder));
  const known = accountsOf((await unlessMissing(readFile('/etc/passwd', 'utf8'))) ?? '');
  if (owner !== undefined && owner.uid !== 0) {
    const name = known.find(({ uid }) => uid === owner.uid)?.name ?? `user ${owner.uid}`;
    return E.right({ name, uid: owner.uid, gid: owner.gid });
  }
  const account = candidates.flatMap((name) => known.filter((entry) => entry.name === name))[0];
  return account === undefined ? E.left(noUnprivilegedUser()) : E.right(account);
};
