// Decides where the data live: in home, unless the account that runs the server cannot enter it.
import { chown, mkdtemp, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { accountFor, type Account } from './account.js';
import { homeUnusable, type EmbeddedError } from './errors.js';
import { makeFolder } from './make-folder.js';
import { canEnter } from './reach.js';
import { shelterFor, shelters } from './shelter.js';
import { unlessMissing } from './system-error.js';

export interface Place {
  readonly base: string;
  readonly data: string;
  readonly logFile: string;
  readonly account: Account | undefined;
}

export type Report = (line: string) => void;

const location = t.type({ base: t.string });

export const folderOf = (home: string): string => join(resolve(home), 'postgres');

const locationFile = (home: string): string => join(folderOf(home), 'location.json');

export const placeAt = (base: string, account?: Account): Place => ({
  base,
  data: join(base, 'data'),
  logFile: join(base, 'data', 'postgresql.log'),
  account,
});

// Where the data are, as far as anybody has decided that yet. Reads only.
export const knownPlace = async (home: string): Promise<Place> => {
  const text = await unlessMissing(readFile(locationFile(home), 'utf8'));
  const decoded = text === undefined ? undefined : location.decode(JSON.parse(text));
  const base = decoded !== undefined && E.isRight(decoded) ? decoded.right.base : folderOf(home);
  return placeAt((await unlessMissing(realpath(base))) ?? base);
};

export const preparePlace = async (home: string, report: Report): Promise<E.Either<EmbeddedError, Place>> => {
  await makeFolder(folderOf(home));
  const known = await knownPlace(home);
  const account = await accountFor(known.data);
  if (E.isLeft(account)) return account;
  const runAs = account.right;
  if (runAs === undefined) return E.right(placeAt(known.base));
  const present = (await unlessMissing(stat(known.base))) !== undefined;
  if (present && (await canEnter(runAs, known.base))) return E.right(placeAt(known.base, runAs));
  // Starting afresh elsewhere would look like a lost ledger.
  if ((await unlessMissing(stat(known.data))) !== undefined) {
    return E.left(
      homeUnusable(home, `user ${runAs.name} can no longer enter ${known.base}, where its data are`),
    );
  }
  return moveOut(home, runAs, report);
};

const moveOut = async (
  home: string,
  account: Account,
  report: Report,
): Promise<E.Either<EmbeddedError, Place>> => {
  const shelter = await shelterFor(account);
  if (shelter === undefined) {
    return E.left(homeUnusable(home, `user ${account.name} cannot enter it, nor ${shelters.join(' or ')}`));
  }
  const base = await mkdtemp(join(shelter, 'ledger-'));
  await chown(base, account.uid, account.gid);
  await writeFile(locationFile(home), `${JSON.stringify({ base })}\n`);
  report(
    `PostgreSQL runs as user ${account.name}, who cannot enter ${resolve(home)}: its data are kept in ${base}`,
  );
  return E.right(placeAt(base, account));
};
