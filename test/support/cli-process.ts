// The command line as a process of its own, while it runs.
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../runners/cli.ts', import.meta.url));

export interface CliProcess {
  readonly child: ChildProcess;
  /** Status and signal. */
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
  /** What it has written so far, to both. */
  readonly said: () => string;
  readonly kill: () => Promise<void>;
}

/** `env` comes on top of this process's own. */
export const cliProcess = (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CliProcess => {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('close', (status, signal) => resolve([status, signal])),
  );
  return {
    child,
    ended,
    said: () => said,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
