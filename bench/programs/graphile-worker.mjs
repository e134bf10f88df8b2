import { makeWorkerUtils, run } from 'graphile-worker';

const identifier = 'noop';

/** @type {(url: string, settings: import('../protocol.js').SystemSettings) => { worker: Record<string, unknown> }} */
const presetOf = (url, { preset }) => ({ worker: { ...preset, connectionString: url } });

/** @type {import('../protocol.js').System} */
export const system = {
  setUp: async (url, settings) => {
    const utils = await makeWorkerUtils({ preset: presetOf(url, settings) });
    await utils.migrate();
    await utils.release();
  },
  openProducer: async (url, settings) => {
    const utils = await makeWorkerUtils({ preset: presetOf(url, settings) });
    return {
      enqueue: (job) => utils.addJob(identifier, job),
      enqueueMany: (jobs) => utils.addJobs(jobs.map((payload) => ({ identifier, payload }))),
      close: async () => {
        await utils.release();
      },
    };
  },
  work: async (url, settings, observe) => {
    await run({ preset: presetOf(url, settings), taskList: { [identifier]: observe } });
  },
};
