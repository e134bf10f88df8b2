/**
 * `suppressed_job`: ids that producers chose for jobs that an equal one answered for. A call that is repeated, even when the survivor
 * has long ended, is answered as the first time. The same call may have met two survivors at once: each has a row of its own.
 */
import { jobIdOfEvent, nothing, ownRowAt } from './address.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { put, type TableChange } from './row-change.js';

export const suppressedJobTable: Table = {
  name: 'suppressed_job',
  key: ['job', 'survivor'],
  isSum: false,
  columns: { job: 'uuid', survivor: 'uuid', revision: 'bigint' },
};

const project = (at: ProjectedEvent): readonly TableChange[] => {
  const { event } = at;
  if (event.type !== 'DuplicateSuppressed' || event.data.jobId === undefined) return nothing;
  const row = { job: event.data.jobId, survivor: jobIdOfEvent(at), revision: at.revision };
  return [ownRowAt(suppressedJobTable.name, `${row.job} ${row.survivor}`, at, put(row))];
};

export const suppressedJob: Projection = {
  name: 'suppressed_job',
  version: 1,
  drive: 'inline',
  tables: [suppressedJobTable],
  handles: ['DuplicateSuppressed'],
  project,
};
