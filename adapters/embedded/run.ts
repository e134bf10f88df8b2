// Runs one of PostgreSQL's programs to its end, as the account that owns the data.
import { spawn } from 'node:child_process';
import type { Account } from './account.js';
import { executable } from './binaries.js';

export interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

export interface Program {
  readonly binaries: string;
  readonly name: 'initdb' | 'pg_ctl' | 'postgres';
  readonly args: readonly string[];
  readonly account: Account | undefined;
  readonly input?: string;
  readonly detached?: boolean;
}

// The server outlives us: it gets none of the caller's secrets, and no PGDATA or PGPORT that would mislead it.
const environment = (): NodeJS.ProcessEnv => {
  const kept = ['PATH', 'SystemRoot', 'TEMP'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
};

export const run = ({ binaries, name, args, account, input, detached }: Program): Promise<Outcome> =>
  new Promise((resolve) => {
    const child = spawn(executable(binaries, name), [...args], {
      cwd: '/',
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: detached ?? false,
      windowsHide: true,
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.on('error', (cause) => resolve({ ok: false, output: cause.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
