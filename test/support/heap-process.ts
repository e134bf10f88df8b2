// A producer and runner that measures its own heap, and ends by itself: node --expose-gc --import tsx heap-process.ts OPTIONS (JSON). It
// prints a line of JSON behind every step: jobs done so far, bytes of the heap after forced collections, when nothing is under way.
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

const BETWEEN_MS = 50;
const ALIKE = 5;
const ALIKE_BYTES = 8 * 1024;
const SETTLED_WITHIN_MS = 240_000;

/**
 * Of what is under way, such as a page of history that the reaper looks through, nothing is growth: readings differ from one to the next
 * for as long as it lasts. Counted is what is there when several in a row are alike.
 */
const heapUsed = async (): Promise<number> => {
  const caughtUp = await ledger.keeper?.upToDate();
  if (caughtUp !== undefined && E.isLeft(caughtUp)) throw new Error('the tables were not caught up');
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  let readings: readonly number[] = [];
  while (performance.now() < deadline) {
    gc();
    readings = [...readings, process.memoryUsage().heapUsed].slice(-ALIKE);
    const least = Math.min(...readings);
    if (readings.length === ALIKE && Math.max(...readings) - least <= ALIKE_BYTES) return least;
    await pause(BETWEEN_MS);
  }
  throw new Error(`the heap does not come to rest: ${readings.join(' ')}`);
};

/** In a call of its own, so that nothing of it is held when it is over. */
const workOff = async (jobs: number): Promise<void> => {
  const specifications = Array.from({ length: jobs }, (_, n) => ({ type: 'some', params: { n } }));
  enqueued += jobs;
  const finished = new Promise<void>((resolve) => (onDone = resolve));
  const answers = await ledger.producer.enqueueAll(specifications);
  if (answers.some(E.isLeft)) throw new Error('a job was not enqueued');
  if (done < enqueued) await finished;
};

for (let step = 0; step < options.steps; step += 1) {
  for (let left = eachStep; left > 0; left -= BATCH) await workOff(Math.min(BATCH, left));
  const measured: HeapStep = { jobs: done, bytes: await heapUsed() };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}
work.stop();
await work.done;
await ledger.close();
