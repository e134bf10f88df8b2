// What every handler does, whoever calls it: nothing but counting. Told by BENCH_OBSERVE (see ObserverOrder).
import { now } from './clock.mjs';

/** @type {import('../protocol.js').ObserverOrder} */
const { expected, keepsLatencies } = JSON.parse(process.env['BENCH_OBSERVE'] ?? '{}');

/** @type {number[]} */
const latencies = [];
let counted = 0;
let hasBegun = false;

/** @type {(message: import('../protocol.js').Message) => void} */
const tell = (message) => process.send?.(message);

/** @type {(job: import('../protocol.js').BenchJob) => void} */
export const observe = (job) => {
  if (keepsLatencies && job.n >= 0) latencies.push(now() - job.at);
  if (!hasBegun) tell({ kind: 'first', at: now() });
  hasBegun = true;
  if (job.n < 0) return;
  counted += 1;
  if (counted === expected) tell({ kind: 'last', at: now(), latencies });
};
