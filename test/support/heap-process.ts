// A producer and runner that measures its own heap, and ends by itself: node --expose-gc --import tsx heap-process.ts OPTIONS (JSON). It
// prints a line of JSON behind every step: jobs done so far, bytes of the heap after a forced collection.
import * as E from 'fp-ts/lib/Either.js';
import { pause } from '../../adapters/pause.js';
import { ANY_TYPE, defineJob } from '../../runners/define-job.js';
import { openLedger } from '../../runners/ledger.js';
import { startWork } from '../../runners/work.js';

export interface HeapOptions {
  readonly url: string;
  readonly schema: string;
  readonly eventstoreUrl: string;
  readonly ledger: string;
  readonly jobs: number;
  readonly steps: number;
}

export interface HeapStep {
  readonly jobs: number;
  readonly bytes: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as HeapOptions;
const { gc } = globalThis;
if (gc === undefined) throw new Error('run it with --expose-gc');

const opened = await openLedger({
  ...options,
  databaseUrl: options.url,
  home: '',
  by: 'heap-process',
  report: () => undefined,
})();
if (E.isLeft(opened)) throw new Error(opened.left.message);
const ledger = opened.right;

let enqueued = 0;
let done = 0;
const BATCH = 1_000;
const eachStep = Math.ceil(options.jobs / options.steps);

let onDone = (): void => undefined;
const work = startWork(ledger, {
  handlers: [
    defineJob({
      type: ANY_TYPE,
      run: () => {
        done += 1;
        if (done >= enqueued) onDone();
      },
    }),
  ],
  concurrency: 50,
  log: () => undefined,
});

const SAMPLES = 10;
const BETWEEN_MS = 50;

/** The least of some: what is under way at a moment, such as a page of history, is no growth. */
const heapUsed = async (): Promise<number> => {
  const caughtUp = await ledger.keeper?.upToDate();
  if (caughtUp !== undefined && E.isLeft(caughtUp)) throw new Error('the tables were not caught up');
  let least = Infinity;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    gc();
    least = Math.min(least, process.memoryUsage().heapUsed);
    await pause(BETWEEN_MS);
  }
  return least;
};

for (let step = 0; step < options.steps; step += 1) {
  for (let left = eachStep; left > 0; left -= BATCH) {
    const specifications = Array.from({ length: Math.min(BATCH, left) }, (_, n) => ({
      type: 'some',
      params: { n },
    }));
    enqueued += specifications.length;
    const finished = new Promise<void>((resolve) => (onDone = resolve));
    const answers = await ledger.producer.enqueueAll(specifications);
    if (answers.some(E.isLeft)) throw new Error('a job was not enqueued');
    if (done < enqueued) await finished;
  }
  const measured: HeapStep = { jobs: done, bytes: await heapUsed() };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}
work.stop();
await work.done;
await ledger.close();
