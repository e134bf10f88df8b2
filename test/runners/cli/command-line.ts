// Command lines in this process, on streams of their own; and the real program, where the process itself is what is tested.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../../runners/cli/run-cli.js';

export interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const collector = () => {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, written) => {
      chunks.push(chunk.toString());
      written();
    },
  });
  return { stream, text: () => chunks.join('') };
};

/** In a folder that holds no configuration file, and by a clock that stands: nothing is told only because it took long. */
export const commandLine =
  (env: Readonly<Record<string, string>>, stopSignal = () => new AbortController().signal) =>
  async (...args: readonly string[]): Promise<Said> => {
    const [stdout, stderr] = [collector(), collector()];
    const streams = { stdout: stdout.stream, stderr: stderr.stream, now: () => 0 };
    const status = await runCli(args, {
      ...streams,
      env,
      cwd: tmpdir(),
      columns: 100,
      stopSignal,
      onStray: () => undefined,
    });
    return { status, stdout: stdout.text(), stderr: stderr.text() };
  };

const PROGRAM = fileURLToPath(new URL('../../../runners/cli.ts', import.meta.url));
const TSX = import.meta.resolve('tsx');

/** `firstLineOnly` closes the program's standard output behind its first line, as `| head -1` does. */
export const program = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { firstLineOnly = false } = {},
): Promise<Said> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', TSX, PROGRAM, ...args], {
      cwd: tmpdir(),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (firstLineOnly && stdout.includes('\n')) child.stdout.destroy();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });

export const jsonLines = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
