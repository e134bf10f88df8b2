/**
 * `queue` and `queue_pause`: what operators have decided about queues, a row a scope. An empty wiki or type means all of them: names are
 * never empty.
 */
import type { EventOf } from '../domain/events.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { put, remove, type Row, type RowChange, type TableChange } from './row-change.js';

export const queueTable: Table = {
  name: 'queue',
  key: ['id'],
  isSum: false,
  columns: {
    id: 'uuid',
    wiki: 'text',
    type: 'text',
    class: 'text',
    weight: 'integer',
    pick_order: 'text',
    running: 'integer',
    per_second: 'double precision',
    items_per_second: 'double precision',
  },
};

export const queuePauseTable: Table = {
  name: 'queue_pause',
  key: ['id'],
  isSum: false,
  columns: { id: 'uuid', wiki: 'text', type: 'text', since: 'timestamptz', by: 'text', why: 'text' },
};

const idOf = ({ stream }: ProjectedEvent): string => stream.slice(stream.indexOf('-') + 1);

const settingsRow = (id: string, { data }: EventOf<'QueueConfigured'>): RowChange => {
  const { wiki = '', type = '', limits = {} } = data;
  const settings = {
    class: data.class ?? null,
    weight: data.weight ?? null,
    pick_order: data.order ?? null,
    running: limits.running ?? null,
    per_second: limits.perSecond ?? null,
    items_per_second: limits.itemsPerSecond ?? null,
  };
  const isEmpty = Object.values(settings).every((value) => value === null);
  return isEmpty ? remove : put({ id, wiki, type, ...settings });
};

const pauseRow = (at: ProjectedEvent, { data }: EventOf<'QueuePaused'>): Row => ({
  id: idOf(at),
  wiki: data.wiki ?? '',
  type: data.type ?? '',
  since: at.metadata.occurredAt,
  by: at.metadata.by,
  why: data.why,
});

const project = (at: ProjectedEvent): readonly TableChange[] => {
  const { event, stream: owner } = at;
  const key = idOf(at);
  switch (event.type) {
    case 'QueuePaused':
      return [{ table: 'queue_pause', key, owner, change: put(pauseRow(at, event)) }];
    case 'QueueResumed':
      return [{ table: 'queue_pause', key, owner, change: remove }];
    case 'QueueConfigured':
      return [{ table: 'queue', key, owner, change: settingsRow(key, event) }];
    default:
      return [];
  }
};

export const queueProjection: Projection = {
  name: 'queue',
  version: 1,
  drive: 'inline',
  tables: [queueTable, queuePauseTable],
  handles: ['QueuePaused', 'QueueResumed', 'QueueConfigured'],
  project,
};
