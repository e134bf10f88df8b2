// Events with an address, and the tables that a projection makes of them.
import type { JobEvent } from '../../domain/job/events.js';
import { jobStream } from '../../domain/ledger.js';
import { currentVersion } from '../../domain/upcast.js';
import type { ProjectedEvent, Projection } from '../../projections/projection.js';
import { applyChange, type NetChanges, type Row, type TableChange } from '../../projections/row-change.js';
import { at } from './given-commands.js';

const twelve = (n: number): string => String(n).padStart(12, '0');

/** The id of the n-th job of a story. */
export const jobUuid = (job: number): string => `0198c7a2-7d3e-7c1a-9f4e-${twelve(job)}`;
export const eventUuid = (job: number, revision: number): string =>
  `e0000000-0000-5000-8000-${twelve(job * 10_000 + revision)}`;

/** When the component decided that wrote the n-th event of a stream. */
export const decidedAt = (revision: number): string => at(1_000 + revision);

/** The events of one job's stream, as a projection is given them. */
export const streamOf = (events: readonly JobEvent[], job = 1): readonly ProjectedEvent[] =>
  events.map((event, revision) => ({
    stream: jobStream(jobUuid(job)),
    revision: BigInt(revision),
    id: eventUuid(job, revision),
    metadata: {
      schemaVersion: currentVersion(event.type),
      correlationId: 'correlation',
      causationId: 'causation',
      by: 'test',
      occurredAt: decidedAt(revision),
    },
    event,
  }));

export type Tables = Map<string, Map<string, Row>>;

const applyTo = (tables: Tables, { table, key, change }: Omit<TableChange, 'owner'>): void => {
  const rows = tables.get(table) ?? new Map<string, Row>();
  tables.set(table, rows);
  const isFirst = (change._tag === 'Set' || change._tag === 'Unset') && change.absentBefore;
  if (isFirst && rows.has(key)) throw new Error(`${table} has a row ${key} that a change took for absent`);
  const row = applyChange(rows.get(key), change);
  if (row === undefined) rows.delete(key);
  else rows.set(key, row);
};

export const applyNet = (tables: Tables, net: NetChanges): Tables => {
  for (const [table, rows] of net) {
    for (const [key, { change }] of rows) applyTo(tables, { table, key, change });
  }
  return tables;
};

export const changesOf = (
  projection: Projection,
  events: readonly ProjectedEvent[],
): readonly TableChange[] => events.flatMap((event) => projection.project(event));

/** The tables after these events, one at a time. */
export const tablesOf = (projection: Projection, events: readonly ProjectedEvent[]): Tables => {
  const tables: Tables = new Map(projection.tables.map(({ name }) => [name, new Map<string, Row>()]));
  for (const change of changesOf(projection, events)) applyTo(tables, change);
  return tables;
};

/** The rows of one table after these events. */
export const rowsAfter = (
  projection: Projection,
  events: readonly ProjectedEvent[],
  table = projection.tables[0]?.name ?? '',
): readonly Row[] => [...(tablesOf(projection, events).get(table)?.values() ?? [])];
