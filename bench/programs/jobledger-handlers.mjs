// For `jobledger work --handlers`. BENCH_TYPES: of how many types the jobs are.
import { observe } from './observe.mjs';

/** @param {number} n */
export const typeOf = (n) => (n === 0 ? 'noop' : `noop-${n}`);

export default Array.from({ length: Number(process.env['BENCH_TYPES'] ?? 1) }, (_, n) => ({
  type: typeOf(n),
  /** @param {{ params: import('../protocol.js').BenchJob }} job */
  run: (job) => observe(job.params),
}));
