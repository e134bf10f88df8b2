/** From the call that enqueues to the handler, at an easy pace, with everything running that runs in production. */
import { start } from '../child.js';
import { percentile } from '../statistics.js';
import { DEADLINE_MS, produce, withDatabase, type Figures, type Setting } from './measuring.js';

const PER_SECOND = 100;

export const measureLatency = ({ contestant, database, sizes }: Setting): Promise<Figures> =>
  withDatabase(database, async ({ url }) => {
    const { latencySettings: settings } = contestant;
    const { latencyJobs: jobs, latencyWarmUp: warmUp } = sizes;
    await produce(contestant, url, settings, [{ kind: 'set-up' }, { kind: 'fill', jobs: 1, from: -1 }]);
    const projector = contestant.projector === undefined ? undefined : start(contestant.projector(url));
    const worker = start(contestant.worker(url, settings), { expected: jobs, keepsLatencies: true });
    try {
      await worker.next('first', DEADLINE_MS);
      await produce(contestant, url, settings, [{ kind: 'pace', jobs, warmUp, perSecond: PER_SECOND }]);
      const { latencies } = await worker.next('last', DEADLINE_MS);
      return { 'latency-p50': percentile(latencies, 0.5), 'latency-p99': percentile(latencies, 0.99) };
    } finally {
      await worker.end();
      await projector?.end();
    }
  });
