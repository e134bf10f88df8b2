// The PostgreSQL that comes with the ledger: whoever finds none running starts it, all share it, and nobody stops
// it on leaving; `stopEmbedded` does.
import { stat } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { homeUnusable, startFailed, type EmbeddedError } from './errors.js';
import { database, initialise, isInitialised, passwordOf, superuser } from './initialise.js';
import { launch, shutDown } from './launch.js';
import { acquire } from './lock.js';
import { accountFor } from './account.js';
import { prepareBinaries } from './natives.js';
import { folderOf, knownPlace, placeAt, preparePlace, type Place, type Report } from './place.js';
import { postmasterAt } from './postmaster.js';
import { reasonOf, unlessMissing } from './system-error.js';

export type { EmbeddedError } from './errors.js';

export interface Running {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
}

export interface Started extends Running {
  readonly started: boolean;
}

export type EmbeddedStatus = ({ readonly running: true } & Running) | { readonly running: false };

const startDeadlineMs = 330_000;
const stopDeadlineMs = 90_000;

const guarded =
  <A>(home: string, work: () => Promise<E.Either<EmbeddedError, A>>): TaskEither<EmbeddedError, A> =>
  async () => {
    try {
      return await work();
    } catch (cause) {
      return E.left(homeUnusable(home, reasonOf(cause)));
    }
  };

const runningAt = async (home: string, place: Place): Promise<Running | undefined> => {
  const found = await postmasterAt(place.data);
  if (found.state !== 'ready') return undefined;
  const { pid, port } = found;
  const password = await passwordOf(home);
  return { url: `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`, port, pid };
};

const running = async (home: string): Promise<Running | undefined> => runningAt(home, await knownPlace(home));

export const embeddedStatus = (home: string): TaskEither<EmbeddedError, EmbeddedStatus> =>
  guarded(home, async () => {
    const found = await running(home);
    return E.right(found === undefined ? { running: false } : { running: true, ...found });
  });

const startUnderLock = async (home: string, report: Report): Promise<E.Either<EmbeddedError, void>> => {
  const place = await preparePlace(home, report);
  if (E.isLeft(place)) return place;
  const first = !(await isInitialised(place.right));
  if (first) report('starting PostgreSQL for the first time (a few seconds) …');
  const binaries = await prepareBinaries(home, place.right);
  if (E.isLeft(binaries)) return binaries;
  const ready = first ? await initialise(home, place.right, binaries.right) : E.right(undefined);
  return E.isLeft(ready) ? ready : launch(place.right, binaries.right);
};

export const startEmbedded = (home: string, report: Report): TaskEither<EmbeddedError, Started> =>
  guarded(home, async () => {
    const found = await running(home);
    if (found !== undefined) return E.right({ ...found, started: false });
    const held = await acquire(folderOf(home), {
      deadlineMs: startDeadlineMs,
      fulfilled: async () => (await running(home)) !== undefined,
    });
    if (E.isLeft(held)) return held;
    const started = held.right !== 'fulfilled';
    try {
      const outcome = started ? await startUnderLock(home, report) : E.right(undefined);
      if (E.isLeft(outcome)) return outcome;
      const now = await running(home);
      return now === undefined
        ? E.left(startFailed((await knownPlace(home)).logFile, 'it ended right after its start'))
        : E.right({ ...now, started });
    } finally {
      if (held.right !== 'fulfilled') await held.right.release();
    }
  });

const stopUnderLock = async (home: string): Promise<E.Either<EmbeddedError, 'stopped' | 'not-running'>> => {
  const { base, data } = await knownPlace(home);
  const { state } = await postmasterAt(data);
  if (state === 'absent' || state === 'stale') return E.right('not-running');
  const account = await accountFor(data);
  if (E.isLeft(account)) return account;
  const place = placeAt(base, account.right);
  const binaries = await prepareBinaries(home, place);
  if (E.isLeft(binaries)) return binaries;
  const outcome = await shutDown(place, binaries.right);
  return E.isLeft(outcome) ? outcome : E.right('stopped');
};

export const stopEmbedded = (home: string): TaskEither<EmbeddedError, 'stopped' | 'not-running'> =>
  guarded(home, async () => {
    if ((await unlessMissing(stat(folderOf(home)))) === undefined) return E.right('not-running');
    const held = await acquire(folderOf(home), {
      deadlineMs: stopDeadlineMs,
      fulfilled: () => Promise.resolve(false),
    });
    if (E.isLeft(held)) return held;
    try {
      return await stopUnderLock(home);
    } finally {
      if (held.right !== 'fulfilled') await held.right.release();
    }
  });
