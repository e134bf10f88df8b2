/**
 * `duplicate`: what deduplication looks up. A waiting job that takes part has a row, `is_survivor` while it was never claimed; a job
 * that has succeeded has one that names the attempt by its revision. The latter matters while an equal job waits that was
 * enqueued before that attempt began; rows that matter no more are dropped by housekeeping and ignored by audit.
 */
import type { Dedup } from '../domain/job/facts.js';
import { jobIdOfEvent, nothing, ownRow } from './address.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { insert, patch, put, remove, type RowChange, type TableChange } from './row-change.js';

export const duplicateTable: Table = {
  name: 'duplicate',
  key: ['job'],
  isSum: false,
  columns: {
    job: 'uuid',
    wiki: 'text',
    type: 'text',
    sha1: 'text',
    number: 'bigint',
    revision: 'bigint',
    is_survivor: 'boolean',
    enqueued_revision: 'bigint',
    begun_revision: 'bigint',
    root_timestamp: 'text',
  },
};

interface WaitingTwin {
  readonly wiki: string;
  readonly type: string;
  readonly number: string;
  readonly sha1: string;
  readonly isSurvivor: boolean;
  readonly enqueuedRevision: bigint | null;
}

const waiting = (at: ProjectedEvent, twin: WaitingTwin) => ({
  job: jobIdOfEvent(at),
  wiki: twin.wiki,
  type: twin.type,
  sha1: twin.sha1,
  number: twin.number,
  revision: at.revision,
  is_survivor: twin.isSurvivor,
  enqueued_revision: twin.enqueuedRevision,
  begun_revision: null,
  root_timestamp: null,
});

interface Returned {
  readonly wiki: string;
  readonly type: string;
  readonly placement: { readonly number: string; readonly dedup?: Dedup; readonly enqueuedRevision: string };
}

/** Back in the queue: it takes part again, but was claimed before and so is no survivor. */
const returned = (at: ProjectedEvent, { wiki, type, placement }: Returned): RowChange | undefined =>
  placement.dedup === undefined
    ? undefined
    : put(
        waiting(at, {
          wiki,
          type,
          number: placement.number,
          sha1: placement.dedup.sha1,
          isSurvivor: false,
          enqueuedRevision: BigInt(placement.enqueuedRevision),
        }),
      );

const changeOf = (at: ProjectedEvent): RowChange | undefined => {
  const { event } = at;
  switch (event.type) {
    case 'JobEnqueued': {
      const { wiki, type, number, dedup, imported } = event.data;
      if (!dedup.ignoreDuplicates && imported === undefined) return undefined;
      const isSurvivor = dedup.ignoreDuplicates && imported === undefined;
      return insert(
        waiting(at, {
          wiki,
          type,
          number,
          sha1: dedup.sha1,
          isSurvivor,
          enqueuedRevision: 0n,
        }),
      );
    }
    case 'DuplicateSuppressed':
      return patch({ revision: at.revision });
    case 'RetryScheduled':
    case 'JobReleased':
    case 'JobRequeued':
      return returned(at, event.data);
    case 'AttemptSucceeded': {
      const { wiki, type, sha1, number, begunRevision, rootTimestamp } = event.data;
      if (sha1 === undefined || number === undefined) return undefined;
      const twin = { wiki, type, number, sha1, isSurvivor: false, enqueuedRevision: null };
      const row = { ...waiting(at, twin), revision: null, begun_revision: BigInt(begunRevision) };
      return put({ ...row, root_timestamp: rootTimestamp ?? null });
    }
    case 'JobClaimed':
      return event.data.isDeduplicated === true ? remove : undefined;
    case 'JobSuperseded':
      return remove;
    case 'JobCancelled':
    case 'JobErased':
      return event.data.from === 'Waiting' ? remove : undefined;
    default:
      return undefined;
  }
};

const project = (at: ProjectedEvent): readonly TableChange[] => {
  const change = changeOf(at);
  return change === undefined ? nothing : ownRow('duplicate', at, change);
};

export const duplicate: Projection = {
  name: 'duplicate',
  version: 1,
  drive: 'inline',
  tables: [duplicateTable],
  handles: [
    'JobEnqueued',
    'DuplicateSuppressed',
    'JobClaimed',
    'AttemptSucceeded',
    'RetryScheduled',
    'JobReleased',
    'JobRequeued',
    'JobSuperseded',
    'JobCancelled',
    'JobErased',
  ],
  project,
};
