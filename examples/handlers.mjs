// Handlers for `jobledger work --handlers examples/handlers.mjs`. A plain { type, run(job, context) } is enough.
export default [
  {
    type: 'sendMail',
    run: (job, context) => context.log(`a mail to ${job.params.to}`),
  },
  {
    type: 'flaky',
    retry: { maxAttempts: 3 },
    run: (job) => {
      if (job.attempt === 1) throw new Error('not yet: this was the first attempt');
      return { attempts: job.attempt };
    },
  },
];
