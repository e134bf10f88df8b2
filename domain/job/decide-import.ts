/** A row of an existing `job` table becomes a stream that says no more than the row did. */
import type { ImportJob } from './commands.js';
import type { JobEvent } from './events.js';

/** What stands for the program that held a row in the old table. */
export const IMPORTED_RUNNER = {
  id: 'imported',
  host: 'imported',
  ip: 'unassigned',
  instance: 'imported',
} as const;

export const importJob = ({ job, claim, isAbandoned }: ImportJob): readonly JobEvent[] => {
  const { wiki, type } = job;
  const events: JobEvent[] = [{ type: 'JobEnqueued', data: job }];
  if (claim === undefined) return events;
  events.push({
    type: 'JobClaimed',
    data: {
      wiki,
      type,
      from: 'Waiting',
      ...claim,
      ...(job.notBefore === undefined ? {} : { dueAt: job.notBefore }),
      claims: job.imported?.attempts ?? 1,
      runner: IMPORTED_RUNNER,
      imported: true,
      isDeduplicated: true,
    },
  });
  if (isAbandoned) {
    const attempts = job.imported?.attempts ?? 1;
    events.push({
      type: 'JobAbandoned',
      data: { wiki, type, from: 'Claimed', reason: 'attempts-exhausted', attempts, imported: true },
    });
  }
  return events;
};
