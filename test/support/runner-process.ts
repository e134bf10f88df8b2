// A runner as a process of its own, to be killed. Run: node --import tsx test/support/runner-process.ts OPTIONS (JSON)
import { appendFileSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { ANY_TYPE, defineJob, type HandledJob, type JobContext } from '../../runners/define-job.js';
import { openLedger } from '../../runners/ledger.js';
import { pause } from '../../adapters/pause.js';
import { startWork } from '../../runners/work.js';
import type { RunnerOptions } from './runners.js';

const options = JSON.parse(process.argv[2] ?? '{}') as RunnerOptions;

const mark = ({ id, attempt }: HandledJob<unknown>, what: string): void =>
  appendFileSync(options.file, `${id} ${attempt} ${process.pid} ${what}\n`);

/** What a job wants, by its params. `failures`: so many attempts fail before it goes on. */
interface Wish {
  readonly milliseconds?: number;
  readonly kills?: boolean;
  readonly failures?: number;
  /** So long nothing else happens in the process: no timer, no answer, no signal. */
  readonly blocks?: number;
  /** So many children. */
  readonly spawns?: number;
}

const run = async (job: HandledJob<Wish>, { signal, spawn }: JobContext): Promise<void> => {
  const { milliseconds = 0, kills = false, failures = 0, blocks = 0, spawns = 0 } = job.params;
  mark(job, 'begun');
  for (let n = 0; n < spawns; n += 1) spawn({ type: 'child', params: { n } });
  if (job.attempt <= failures) throw new Error('not yet');
  if (blocks > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blocks);
  if (kills) process.kill(process.pid, 'SIGKILL');
  if (milliseconds > 0) await pause(milliseconds, signal);
  mark(job, signal.aborted && signal.reason instanceof Error ? signal.reason.name : 'done');
};

/** A machine whose clock is wrong. */
const shiftClock = (milliseconds: number): void => {
  globalThis.Date = new Proxy(Date, {
    construct: (real, values) =>
      Reflect.construct(real, values.length > 0 ? values : [real.now() + milliseconds]),
    get: (real, key) => (key === 'now' ? () => real.now() + milliseconds : Reflect.get(real, key)),
  });
};
if (options.clockShiftMs !== undefined) shiftClock(options.clockShiftMs);

const ledger = await openLedger({
  databaseUrl: options.url,
  home: '',
  schema: options.schema,
  eventstoreUrl: options.eventstoreUrl,
  ledger: options.ledger,
  by: 'runner-process',
  report: () => undefined,
})();
if (E.isLeft(ledger)) throw new Error(ledger.left.message);
const { producer } = ledger.right;
const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('killed');
};
const asked = options.diesBeforeChildren === true ? { ...producer, enqueueAll: die } : producer;
const work = startWork(
  { ...ledger.right, producer: asked },
  {
    handlers: [
      defineJob({ type: ANY_TYPE, run }),
      defineJob({ type: 'impatient', run, retry: { backoff: { firstMs: 50, jitter: 0 } } }),
    ],
    concurrency: options.concurrency,
    leaseMs: options.leaseMs,
    drain: options.drain,
    graceMs: options.graceMs,
    pollMs: 100,
    reaperTickMs: 200,
    log: () => undefined,
  },
);
process.once('SIGTERM', work.stop);
await work.done;
await ledger.right.close();
