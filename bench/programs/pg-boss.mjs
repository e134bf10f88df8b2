import { PgBoss } from 'pg-boss';

const queue = 'noop';

/** @type {(url: string, settings: import('../protocol.js').SystemSettings) => Promise<PgBoss>} */
const started = async (url, { boss: options }) => {
  const boss = new PgBoss({ ...options, connectionString: url });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  return boss;
};

/** @type {import('../protocol.js').System} */
export const system = {
  setUp: async (url, settings) => {
    const boss = await started(url, settings);
    await boss.createQueue(queue, settings.queue);
    await boss.stop();
  },
  openProducer: async (url, settings) => {
    const boss = await started(url, settings);
    return {
      enqueue: (job) => boss.send(queue, job),
      enqueueMany: (jobs) =>
        boss.insert(
          queue,
          jobs.map((data) => ({ data })),
        ),
      close: () => boss.stop(),
    };
  },
  work: async (url, settings, observe) => {
    const boss = await started(url, settings);
    await boss.work(queue, settings.work ?? {}, async (jobs) => {
      for (const { data } of jobs) observe(data);
    });
  },
};
