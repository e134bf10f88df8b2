/** Which job an event is of, and changes of rows that belong to its stream. */
import { jobIdOf } from '../domain/ledger.js';
import type { ProjectedEvent } from './projection.js';
import type { RowChange, TableChange } from './row-change.js';

export const jobIdOfEvent = ({ stream }: ProjectedEvent): string => {
  const id = jobIdOf(stream);
  if (id === undefined) throw new Error(`${stream} is not the stream of a job`);
  return id;
};

/** A change of the row that the event's job has in a table keyed by job. */
export const ownRow = (table: string, event: ProjectedEvent, change: RowChange): readonly TableChange[] => [
  { table, key: jobIdOfEvent(event), owner: event.stream, change },
];

/** A change of a row that belongs to the event's job but has a key of its own. */
export const ownRowAt = (
  table: string,
  key: string,
  event: ProjectedEvent,
  change: RowChange,
): TableChange => ({
  table,
  key,
  owner: event.stream,
  change,
});

export const nothing: readonly TableChange[] = [];
