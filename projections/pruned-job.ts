/**
 * `pruned_job`: jobs whose streams went to an archive, so that whoever asks for one is told where it is. `revision` is that of its last
 * event; `entry` the revision, in the stream `ledger`, of the event that tells when and to which file.
 */
import { nothing, ownRowAt } from './address.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { put, type TableChange } from './row-change.js';

export const prunedJobTable: Table = {
  name: 'pruned_job',
  key: ['job'],
  isSum: false,
  columns: { job: 'uuid', number: 'bigint', revision: 'bigint', entry: 'bigint' },
};

const project = (at: ProjectedEvent): readonly TableChange[] => {
  const { event } = at;
  if (event.type !== 'HistoryPruned') return nothing;
  return event.data.jobs.map(({ id, number, revision }) =>
    ownRowAt(prunedJobTable.name, id, at, put({ job: id, number, revision, entry: at.revision })),
  );
};

export const prunedJob: Projection = {
  name: prunedJobTable.name,
  version: 1,
  drive: 'inline',
  tables: [prunedJobTable],
  handles: ['HistoryPruned'],
  project,
};
