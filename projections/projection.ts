/** A projection maps each event to row changes; who drives it (inline or catch-up) is not its business (DESIGN.md §2.6). */
import type { LedgerEvent } from '../domain/events.js';
import type { Metadata, Revision, StreamName } from '../domain/ledger.js';
import type { TableChange } from './row-change.js';

/** An event with its address. Position and recording time are left out: an inline projection does not know them yet. */
export interface ProjectedEvent {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly id: string;
  readonly metadata: Metadata;
  readonly event: LedgerEvent;
}

export type ColumnType =
  | 'text'
  | 'uuid'
  | 'bigint'
  | 'integer'
  | 'smallint'
  | 'double precision'
  | 'boolean'
  | 'timestamptz'
  | 'timestamp'
  | 'bytea';

/** How a sink writes a table. Column values travel as JSON; `bytea` as hex with a leading `\x`. */
export interface Table {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** A sum over streams: written by adding, and a row whose counters are all 0 is no row. */
  readonly isSum: boolean;
}

export type Drive = 'inline' | 'catch-up';

export interface Projection {
  readonly name: string;
  readonly version: number;
  readonly drive: Drive;
  readonly tables: readonly Table[];
  /** Event types that can change a row; every other type is deliberately ignored. */
  readonly handles: readonly LedgerEvent['type'][];
  readonly project: (event: ProjectedEvent) => readonly TableChange[];
}
