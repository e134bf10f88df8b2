// Starts and stops the server of a data folder by pg_ctl. Only for the holder of the lock.
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pause } from '../pause.js';
import { startFailed, stopFailed, type EmbeddedError } from './errors.js';
import type { Place } from './place.js';
import { choosePort } from './port.js';
import { clearStale, postmasterAt } from './postmaster.js';
import { run } from './run.js';
import { settings, settingsFile } from './settings.js';
import { unlessMissing } from './system-error.js';

// Recovery after a crash takes as long as there is log to replay.
const startSeconds = 300;
const stopSeconds = 60;

// After kill -9 of the server its number and its shared memory stay taken for some seconds.
const patienceMs = 10_000;

const maximalLogSize = 16 * 1024 * 1024;

const logSize = async (place: Place): Promise<number> =>
  (await unlessMissing(stat(place.logFile)))?.size ?? 0;

const keepLogSmall = async (place: Place): Promise<void> => {
  if ((await logSize(place)) > maximalLogSize) await rename(place.logFile, `${place.logFile}.old`);
};

const logFrom = async (place: Place, start: number): Promise<string> =>
  ((await unlessMissing(readFile(place.logFile))) ?? Buffer.alloc(0)).subarray(start).toString();

const attempt = async (place: Place, binaries: string): Promise<{ ok: boolean; output: string }> => {
  await clearStale(place);
  await writeFile(join(place.data, settingsFile), settings(await choosePort(place)));
  await keepLogSmall(place);
  const before = await logSize(place);
  const args = ['start', '-w', '-s', '-t', String(startSeconds), '-D', place.data, '-l', place.logFile];
  const { ok, output } = await run({
    binaries,
    name: 'pg_ctl',
    args,
    account: place.account,
    detached: true,
  });
  return { ok, output: ok ? '' : `${output}\n${await logFrom(place, before)}` };
};

// A port can be taken between the choice and the start, and a killed server may still be about: both pass.
const mayPass = (output: string): boolean =>
  /lock file "postmaster\.pid" already exists|pre-existing shared memory|could not create any TCP\/IP sockets/.test(
    output,
  );

export const launch = async (place: Place, binaries: string): Promise<E.Either<EmbeddedError, void>> => {
  const begun = performance.now();
  for (;;) {
    const { state } = await postmasterAt(place.data);
    // A starter that was killed leaves a server behind that goes on starting.
    if (state === 'ready') return E.right(undefined);
    const waited = performance.now() - begun;
    if (state !== 'starting') {
      const { ok, output } = await attempt(place, binaries);
      if (ok) return E.right(undefined);
      if (!mayPass(output) || waited > patienceMs) return E.left(startFailed(place.logFile, reason(output)));
    } else if (waited > startSeconds * 1000) {
      return E.left(startFailed(place.logFile, 'another start of it has not come to an end'));
    }
    await pause(100);
  }
};

const reason = (output: string): string => {
  const fatal = output.split('\n').filter((line) => /FATAL|PANIC|error while loading/.test(line));
  return fatal.at(-1)?.replace(/^.*?(FATAL|PANIC): +/, '') ?? output;
};

export const shutDown = async (place: Place, binaries: string): Promise<E.Either<EmbeddedError, void>> => {
  const args = ['stop', '-w', '-s', '-m', 'fast', '-t', String(stopSeconds), '-D', place.data];
  const { ok, output } = await run({ binaries, name: 'pg_ctl', args, account: place.account });
  // It may have ended by itself in between; then pg_ctl complains, and all is as it should be.
  const gone = (await postmasterAt(place.data)).state === 'absent';
  return ok || gone ? E.right(undefined) : E.left(stopFailed(output));
};
