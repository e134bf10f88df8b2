// The process that enqueues: node produce.mjs ORDER, a ProducerOrder as JSON. Sends a report for each task.
import { setTimeout as delay } from 'node:timers/promises';
import { now } from './clock.mjs';

/** @typedef {import('../protocol.js').Task} Task */
/** @typedef {import('../protocol.js').Producer} Producer */

/** @type {import('../protocol.js').ProducerOrder} */
const { system: name, url, settings, tasks } = JSON.parse(process.argv[2] ?? '{}');
/** @type {{ system: import('../protocol.js').System }} */
const { system } = await import(`./${name}.mjs`);

// With it a job's JSON is 300 bytes.
const text = 'lorem ipsum '.repeat(21);

/** @param {number} n */
const job = (n) => ({ n, at: now(), text });

/** @param {number} from @param {number} count */
const jobs = (from, count) => Array.from({ length: count }, (_, index) => job(from + index));

const FEWEST_CALLS = 3;

/** @type {(producer: Producer, task: Extract<Task, { kind: 'rate' }>) => Promise<number>} */
const rate = async (producer, { callers, perCall, milliseconds }) => {
  const end = now() + milliseconds;
  let sent = 0;
  const caller = async () => {
    while (now() < end || sent < FEWEST_CALLS * perCall) {
      const from = sent;
      sent += perCall;
      await (perCall === 1 ? producer.enqueue(job(from)) : producer.enqueueMany(jobs(from, perCall)));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return sent;
};

const MOST_PER_CALL = 1_000;

/** @type {(producer: Producer, task: Extract<Task, { kind: 'fill' }>) => Promise<number>} */
const fill = async (producer, { jobs: count, from }) => {
  for (let sent = 0; sent < count; sent += MOST_PER_CALL) {
    await producer.enqueueMany(jobs(from + sent, Math.min(MOST_PER_CALL, count - sent)));
  }
  return count;
};

/** @type {(producer: Producer, task: Extract<Task, { kind: 'pace' }>) => Promise<number>} */
const pace = async (producer, { jobs: count, warmUp, perSecond }) => {
  const begun = now();
  /** @type {Promise<unknown>[]} */
  const sent = [];
  for (let n = -warmUp; n < count; n += 1) {
    const early = begun + ((n + warmUp) * 1_000) / perSecond - now();
    if (early > 0) await delay(early);
    sent.push(producer.enqueue(job(n)));
  }
  await Promise.all(sent);
  return count;
};

/** @type {(producer: Producer, task: Task) => Promise<number>} */
const perform = (producer, task) => {
  switch (task.kind) {
    case 'set-up':
      return Promise.resolve(0);
    case 'rate':
      return rate(producer, task);
    case 'fill':
      return fill(producer, task);
    case 'pace':
      return pace(producer, task);
  }
};

const performAll = async () => {
  /** @type {Producer | undefined} */
  let producer;
  for (const task of tasks) {
    if (task.kind === 'set-up') await system.setUp(url, settings);
    else producer ??= await system.openProducer(url, settings);
    const begun = now();
    const count = producer === undefined ? 0 : await perform(producer, task);
    process.send?.({ kind: 'task', jobs: count, milliseconds: now() - begun });
  }
  await producer?.close();
};

try {
  await performAll();
} catch (error) {
  // Its reason on one line, without a stack: it goes into the report.
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
