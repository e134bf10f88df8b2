/**
 * `root_job`: one row per root (wiki, type, signature, job → timestamp, state). A root that has ended without success counts no
 * more and has no row. Rows behind the newest succeeded root of their family matter no more: housekeeping drops them, audit
 * ignores them.
 */
import { jobIdOfEvent, nothing, ownRow } from './address.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { insert, patch, put, remove, type Row, type RowChange, type TableChange } from './row-change.js';

export const rootJobTable: Table = {
  name: 'root_job',
  key: ['job'],
  isSum: false,
  columns: { job: 'uuid', wiki: 'text', type: 'text', signature: 'text', timestamp: 'text', state: 'text' },
};

export type RootState = 'waiting' | 'begun' | 'succeeded';

interface RootFacts {
  readonly wiki: string;
  readonly type: string;
  readonly root:
    { readonly signature: string; readonly timestamp: string; readonly isSelf: boolean } | undefined;
}

const rootRow = (at: ProjectedEvent, { wiki, type, root }: RootFacts): Row | undefined =>
  root?.isSelf === true
    ? {
        job: jobIdOfEvent(at),
        wiki,
        type,
        signature: root.signature,
        timestamp: root.timestamp,
        state: 'waiting' satisfies RootState,
      }
    : undefined;

const changeOf = (at: ProjectedEvent): RowChange | undefined => {
  const { event } = at;
  switch (event.type) {
    case 'JobEnqueued': {
      const { wiki, type, root } = event.data;
      const row = rootRow(at, { wiki, type, root });
      return row === undefined ? undefined : insert(row);
    }
    case 'DuplicateSuppressed': {
      const { inherited } = event.data;
      return inherited.rootTimestamp === undefined
        ? undefined
        : patch({ timestamp: inherited.rootTimestamp });
    }
    case 'AttemptStarted':
      return event.data.isRoot === true ? patch({ state: 'begun' satisfies RootState }) : undefined;
    case 'AttemptSucceeded':
      return event.data.isRoot === true ? patch({ state: 'succeeded' satisfies RootState }) : undefined;
    case 'JobRequeued': {
      const { wiki, type, placement } = event.data;
      const row = rootRow(at, { wiki, type, root: placement.root });
      return row === undefined ? undefined : put(row);
    }
    case 'JobAbandoned':
    case 'JobCancelled':
    case 'JobSuperseded':
      return remove;
    case 'JobErased':
      return event.data.ended ? undefined : remove;
    default:
      return undefined;
  }
};

const project = (at: ProjectedEvent): readonly TableChange[] => {
  const change = changeOf(at);
  return change === undefined ? nothing : ownRow('root_job', at, change);
};

export const rootJob: Projection = {
  name: 'root_job',
  version: 1,
  drive: 'inline',
  tables: [rootJobTable],
  handles: [
    'JobEnqueued',
    'DuplicateSuppressed',
    'AttemptStarted',
    'AttemptSucceeded',
    'JobRequeued',
    'JobAbandoned',
    'JobCancelled',
    'JobSuperseded',
    'JobErased',
  ],
  project,
};
