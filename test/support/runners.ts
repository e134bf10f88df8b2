// Runners for tests: in this process with short times, and as processes of their own that can be killed.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineJob, type Handler, type JobDefinition } from '../../runners/define-job.js';
import type { Ledger } from '../../runners/ledger.js';
import { startWork, type RunningWork, type WorkOptions } from '../../runners/work.js';
import { enqueued } from './ledger.js';
import { endedAtLast } from './left-over.js';
import type { WorkSummary } from '../../runners/worker/worker-options.js';

export const quickly = {
  leaseMs: 2_000,
  pollMs: 100,
  reaperTickMs: 100,
  graceMs: 10_000,
  concurrency: 4,
} as const;

export interface TestWork extends RunningWork {
  readonly lines: readonly string[];
}

/** A runner in this process. */
export const working = (
  ledger: Ledger,
  definitions: readonly (JobDefinition | Handler)[],
  options: Partial<WorkOptions> = {},
): TestWork => {
  const lines: string[] = [];
  const handlers = definitions.map((each) => ('decodeParams' in each ? each : defineJob(each)));
  const log = (line: string): void => void lines.push(line);
  const run = startWork(ledger, { ...quickly, log, handlers, ...options });
  const isEnded = endedAtLast(() => {
    run.stop();
    return run.done;
  });
  void run.done.then(isEnded, isEnded);
  return { ...run, lines };
};

/** A runner that ends when nothing is left to do. */
export const drained = async (
  ledger: Ledger,
  definitions: readonly (JobDefinition | Handler)[],
  options: Partial<WorkOptions> = {},
): Promise<WorkSummary> => {
  const { done, lines } = working(ledger, definitions, { drain: true, ...options });
  const summary = await done;
  const failure = lines.find((line) => line.startsWith('claiming failed'));
  if (failure !== undefined) throw new Error(failure);
  return summary;
};

/** The id of a job of this definition, once a runner has nothing more to do. */
export const workedOff = async (ledger: Ledger, definition: JobDefinition, more: object): Promise<string> => {
  const [id = ''] = await enqueued(ledger, { type: definition.type, ...more });
  await drained(ledger, [definition]);
  return id;
};

export interface RunnerOptions {
  readonly url: string;
  readonly schema: string;
  readonly eventstoreUrl?: string | undefined;
  readonly ledger?: string | undefined;
  /** Where the handlers write a line for each execution: job id, attempt, process id, how it is going. */
  readonly file: string;
  readonly concurrency?: number;
  readonly leaseMs?: number;
  /** By so much its clock is ahead. */
  readonly clockShiftMs?: number;
  readonly drain?: boolean;
  readonly graceMs?: number;
  /** Killed where it would append the children of a success. */
  readonly diesBeforeChildren?: boolean;
}

export interface RunnerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals | null>;
  readonly kill: () => Promise<void>;
}

const script = join(dirname(fileURLToPath(import.meta.url)), 'runner-process.ts');

/** A process that works as runner-process.ts says. */
export const runnerProcess = (options: RunnerOptions): RunnerProcess => {
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
  return {
    child,
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

export interface Execution {
  readonly jobId: string;
  readonly attempt: number;
  readonly pid: number;
  readonly mark: string;
}

/** What the handlers of all processes have written so far. A line that was cut by a kill is left out. */
export const executionsIn = (file: string): readonly Execution[] => {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [jobId = '', attempt = '', pid = '', mark = ''] = line.split(' ');
    return { jobId, attempt: Number(attempt), pid: Number(pid), mark };
  });
};
