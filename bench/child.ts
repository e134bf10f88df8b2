/** A measured program as a child process: started, listened to, watched for its memory, and ended by its number. */
import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as t from 'io-ts';
import { now } from './programs/clock.mjs';
import type { Program } from './contestants.js';
import type { Message, ObserverOrder } from './protocol.js';

export interface Memory {
  /** Megabytes: the most there ever was, and the median of what was there at times. */
  readonly peak: number;
  readonly median: number;
}

export interface RunningProgram {
  readonly startedAt: number;
  /** The next message of this kind that has not been asked for; fails where the program ends or the time is over before. */
  readonly next: <K extends Message['kind']>(
    kind: K,
    milliseconds: number,
  ) => Promise<Extract<Message, { kind: K }>>;
  /** Settles when the program has ended; fails where it ended badly. */
  readonly ended: Promise<void>;
  /** Undefined where the system does not tell. */
  readonly memory: () => Memory | undefined;
  readonly end: () => Promise<void>;
}

const MessageCodec = t.union([
  t.type({ kind: t.literal('task'), jobs: t.number, milliseconds: t.number }),
  t.type({ kind: t.literal('first'), at: t.number }),
  t.type({ kind: t.literal('last'), at: t.number, latencies: t.array(t.number) }),
]);

const SAMPLE_MS = 50;
const PATIENCE_MS = 10_000;
const KEPT_ERROR = 2_000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const residentMegabytes = (pid: number | undefined): { peak: number; now: number } | undefined => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    const found = { peak: kilobytes('VmHWM') / 1_024, now: kilobytes('VmRSS') / 1_024 };
    return Number.isFinite(found.peak) ? found : undefined;
  } catch {
    return undefined;
  }
};

const watchMemory = (child: ChildProcess): (() => Memory | undefined) => {
  const samples: number[] = [];
  let peak = 0;
  const look = (): void => {
    const found = residentMegabytes(child.pid);
    if (found === undefined) return;
    samples.push(found.now);
    peak = found.peak;
  };
  const timer = setInterval(look, SAMPLE_MS);
  child.once('exit', () => clearInterval(timer));
  return () => {
    look();
    const sorted = samples.toSorted((a, b) => a - b);
    return samples.length === 0 ? undefined : { peak, median: sorted[Math.floor(sorted.length / 2)] ?? peak };
  };
};

const isOfKind =
  <K extends Message['kind']>(kind: K) =>
  (message: Message): message is Extract<Message, { kind: K }> =>
    message.kind === kind;

/** Messages in the order of their arrival, each given to one who asks for its kind. */
const mailbox = (child: ChildProcess, ended: Promise<void>) => {
  const waiting: Message[] = [];
  const rings = new Set<() => void>();
  const ring = (): void => {
    for (const each of rings) each();
  };
  child.on('message', (value) => {
    if (!MessageCodec.is(value)) return;
    waiting.push(value);
    ring();
  });
  let over: string | undefined;
  const endedWith = (how: string): void => {
    over = how;
    ring();
  };
  ended.then(
    () => endedWith('it ended'),
    (error: unknown) => endedWith(String(error)),
  );
  return <K extends Message['kind']>(kind: K, milliseconds: number): Promise<Extract<Message, { kind: K }>> =>
    new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        rings.delete(look);
      };
      const look = (): void => {
        const found = waiting.find(isOfKind(kind));
        if (found !== undefined) {
          waiting.splice(waiting.indexOf(found), 1);
          finish();
          resolve(found);
        } else if (over !== undefined) {
          finish();
          reject(new Error(`no "${kind}" from the program: ${over}`));
        }
      };
      const timer = setTimeout(() => {
        finish();
        reject(new Error(`no "${kind}" from the program within ${milliseconds / 1_000} s`));
      }, milliseconds);
      rings.add(look);
      look();
    });
};

const endOf = (child: ChildProcess): Promise<void> => {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-KEPT_ERROR);
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      if (code === 0 || signal !== null) resolve();
      else reject(new Error(`it ended with status ${code}: ${said.trim()}`));
    });
  });
};

export const start = (program: Program, observe?: ObserverOrder): RunningProgram => {
  const startedAt = now();
  const child = fork(program.module, [...program.args], {
    execPath: program.node,
    // Not this process's own: it runs TypeScript.
    execArgv: [],
    env: { ...process.env, ...program.env, BENCH_OBSERVE: JSON.stringify(observe ?? {}) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  running.add(child);
  const ended = endOf(child);
  ended.catch(() => undefined);
  const next = mailbox(child, ended);
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    await ended.catch(() => undefined);
    clearTimeout(timer);
  };
  return { startedAt, next, ended, memory: watchMemory(child), end };
};
