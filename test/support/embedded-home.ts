// Homes for tests of the embedded PostgreSQL, and processes that start it.
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import pg from 'pg';
import { startEmbedded, stopEmbedded, type Started } from '../../adapters/embedded/index.js';

// As root the server runs as another user, who must be able to enter; mkdtemp lets nobody else in.
export const temporaryHome = async (): Promise<string> => {
  const home = await mkdtemp(join(tmpdir(), 'jobledger-embedded-'));
  await chmod(home, 0o755);
  return home;
};

// A home as root may have its data elsewhere; both go.
export const removeHome = async (home: string): Promise<void> => {
  const stopped = await stopEmbedded(home)();
  if (E.isLeft(stopped)) throw new Error(stopped.left.message);
  const location = await readFile(join(home, 'postgres', 'location.json'), 'utf8').catch(() => '{}');
  const base: unknown = JSON.parse(location).base;
  if (typeof base === 'string') await rm(base, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
};

export const start = async (home: string, lines: string[] = []): Promise<Started> => {
  const outcome = await startEmbedded(home, (line) => lines.push(line))();
  if (E.isLeft(outcome)) throw new Error(outcome.left.message);
  return outcome.right;
};

export const ask = async (url: string, sql: string): Promise<readonly unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
};

const script = join(dirname(fileURLToPath(import.meta.url)), 'embedded-process.ts');

export interface StarterProcess {
  readonly child: ChildProcess;
  readonly firstLine: Promise<string>;
  // Settles only when nobody holds the process's descriptors any more.
  readonly closed: Promise<void>;
}

export const startInProcess = (home: string, ...more: readonly string[]): StarterProcess => {
  const child = spawn(process.execPath, ['--import', 'tsx', script, home, ...more], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    detached: true,
  });
  let output = '';
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const end = output.indexOf('\n');
      if (end >= 0) resolve(output.slice(0, end));
    });
    child.once('close', () => reject(new Error(`the process ended having said: ${output}`)));
  });
  firstLine.catch(() => undefined);
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  return { child, firstLine, closed };
};

export const eventually = async (
  what: string,
  condition: () => Promise<boolean> | boolean,
): Promise<void> => {
  const end = performance.now() + 30_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await delay(10);
  }
};
