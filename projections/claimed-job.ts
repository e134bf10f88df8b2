/** `claimed_job`: the claims that stand, for the reaper. `revision` is that of the claim. */
import { jobIdOfEvent, nothing, ownRow } from './address.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { put, remove, type TableChange } from './row-change.js';

export const claimedJobTable: Table = {
  name: 'claimed_job',
  key: ['job'],
  isSum: false,
  columns: {
    job: 'uuid',
    revision: 'bigint',
    token: 'text',
    runner: 'text',
    lease_expires: 'timestamptz',
  },
};

const project = (at: ProjectedEvent): readonly TableChange[] => {
  const { event } = at;
  switch (event.type) {
    case 'JobClaimed': {
      const { token, runner, leaseExpiresAt } = event.data;
      const row = {
        job: jobIdOfEvent(at),
        revision: at.revision,
        token,
        runner: runner.id,
        lease_expires: leaseExpiresAt,
      };
      return ownRow('claimed_job', at, put(row));
    }
    case 'AttemptSucceeded':
    case 'RetryScheduled':
    case 'JobReleased':
    case 'JobAbandoned':
    case 'JobCancelled':
      return ownRow('claimed_job', at, remove);
    case 'JobErased':
      return event.data.ended ? nothing : ownRow('claimed_job', at, remove);
    default:
      return nothing;
  }
};

export const claimedJob: Projection = {
  name: 'claimed_job',
  version: 1,
  drive: 'catch-up',
  tables: [claimedJobTable],
  handles: [
    'JobClaimed',
    'AttemptSucceeded',
    'RetryScheduled',
    'JobReleased',
    'JobAbandoned',
    'JobCancelled',
    'JobErased',
  ],
  project,
};
