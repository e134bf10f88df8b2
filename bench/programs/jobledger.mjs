// This project, as a program that has it installed uses it.

/** @type {(settings: import('../protocol.js').SystemSettings) => Promise<typeof import('../../runners/index.js')>} */
const load = ({ library = '' }) => import(library);

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
      enqueue: (job) => ledger.promises.enqueue({ type: 'noop', params: { ...job } }),
      enqueueMany: async (jobs) => {
        const answers = await ledger.enqueueAll(jobs.map((job) => ({ type: 'noop', params: { ...job } })))();
        const refused = answers.find(({ _tag }) => _tag === 'Left');
        if (refused !== undefined) throw new Error(JSON.stringify(refused));
      },
      close: () => ledger.close(),
    };
  },
};
