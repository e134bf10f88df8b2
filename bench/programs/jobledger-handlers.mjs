// For `jobledger work --handlers`.
import { observe } from './observe.mjs';

export default [
  {
    type: 'noop',
    /** @param {{ params: import('../protocol.js').BenchJob }} job */
    run: (job) => observe(job.params),
  },
];
