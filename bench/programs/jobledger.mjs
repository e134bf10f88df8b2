// This project, as a program that has it installed uses it.
import { typeOf } from './jobledger-handlers.mjs';

/** @type {(settings: import('../protocol.js').SystemSettings) => Promise<typeof import('../../runners/index.js')>} */
const load = ({ library = '' }) => import(library);

/** @type {(job: import('../protocol.js').BenchJob, settings: import('../protocol.js').SystemSettings) => { type: string, params: Record<string, unknown> }} */
const jobOf = (job, { types = 1 }) => ({ type: typeOf(job.n % types), params: { ...job } });

/** @type {import('../protocol.js').System} */
export const system = {
  setUp: async (url, settings) => {
    const { promises } = await load(settings);
    const ledger = await promises.openLedger({ databaseUrl: url });
    await ledger.close();
  },
  openProducer: async (url, settings) => {
    const { promises } = await load(settings);
    const ledger = await promises.openLedger({ databaseUrl: url });
    return {
      enqueue: (job) => ledger.promises.enqueue(jobOf(job, settings)),
      enqueueMany: async (jobs) => {
        const answers = await ledger.enqueueAll(jobs.map((job) => jobOf(job, settings)))();
        const refused = answers.find(({ _tag }) => _tag === 'Left');
        if (refused !== undefined) throw new Error(JSON.stringify(refused));
      },
      close: () => ledger.close(),
    };
  },
};
