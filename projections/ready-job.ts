/**
 * `ready_job` and `delayed_job`: exactly what can be claimed, now, and once it falls due. One projection and one row a job: which of
 * the two tables the row stands in is the sink's business, since it depends on the clock.
 */
import type { Placement } from '../domain/job/facts.js';
import { ownRank } from '../domain/job/facts.js';
import { jobIdOfEvent, nothing, ownRow } from './address.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { insert, patch, put, remove, type Row, type TableChange } from './row-change.js';

export const readyJobTable: Table = {
  name: 'ready_job',
  key: ['job'],
  isSum: false,
  columns: {
    job: 'uuid',
    wiki: 'text',
    type: 'text',
    class: 'smallint',
    priority: 'integer',
    number: 'bigint',
    due: 'timestamptz',
    revision: 'bigint',
    since: 'timestamptz',
  },
};

interface Place {
  readonly wiki: string;
  readonly type: string;
}

/** Ready from its due time on, where it has one; else since what put it here. */
interface Readiness {
  readonly due: string | undefined;
  readonly otherwise: string;
}

const placed = (
  event: ProjectedEvent,
  { wiki, type }: Place,
  at: Pick<Placement, 'number' | 'class' | 'hasOwnClass' | 'priority'>,
  { due, otherwise }: Readiness,
): Row => ({
  job: jobIdOfEvent(event),
  wiki,
  type,
  class: ownRank(at),
  priority: at.priority,
  number: at.number,
  due: due ?? null,
  revision: event.revision,
  since: due ?? otherwise,
});

const project = (at: ProjectedEvent): readonly TableChange[] => {
  const { event } = at;
  const { occurredAt } = at.metadata;
  const own = (change: Parameters<typeof ownRow>[2]) => ownRow('ready_job', at, change);
  switch (event.type) {
    case 'JobEnqueued': {
      return own(
        insert(
          placed(at, event.data, event.data, { due: event.data.notBefore, otherwise: event.data.enqueuedAt }),
        ),
      );
    }
    case 'DuplicateSuppressed': {
      const { inherited, placement } = event.data;
      return own(
        patch({
          revision: at.revision,
          ...(inherited.priority === undefined
            ? {}
            : { class: ownRank(placement), priority: placement.priority }),
          ...(inherited.notBefore === undefined
            ? {}
            : { due: inherited.notBefore, since: inherited.notBefore }),
        }),
      );
    }
    case 'RetryScheduled':
      return own(
        put(
          placed(at, event.data, event.data.placement, { due: event.data.notBefore, otherwise: occurredAt }),
        ),
      );
    case 'JobReleased':
      return own(
        put(
          placed(at, event.data, event.data.placement, { due: event.data.notBefore, otherwise: occurredAt }),
        ),
      );
    case 'JobRequeued':
      return own(
        put(placed(at, event.data, event.data.placement, { due: undefined, otherwise: occurredAt })),
      );
    case 'JobClaimed':
    case 'JobSuperseded':
      return own(remove);
    case 'JobCancelled':
      return event.data.from === 'Waiting' ? own(remove) : nothing;
    case 'JobErased':
      return event.data.from === 'Waiting' ? own(remove) : nothing;
    default:
      return nothing;
  }
};

export const readyJob: Projection = {
  name: 'ready_job',
  version: 1,
  drive: 'inline',
  tables: [readyJobTable],
  handles: [
    'JobEnqueued',
    'DuplicateSuppressed',
    'JobClaimed',
    'RetryScheduled',
    'JobReleased',
    'JobRequeued',
    'JobSuperseded',
    'JobCancelled',
    'JobErased',
  ],
  project,
};
