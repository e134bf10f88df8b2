/**
 * What an event does to one row, as a monoid (DESIGN.md §2.3). Changes of one key compose in stream order; a batch folds to its
 * net effect. `absentBefore` is what the first change knows of the row: an insert knows there was none, so that insert then
 * delete costs the table nothing.
 */
export type Value = string | number | bigint | boolean | null;
export type Row = Readonly<Record<string, Value>>;

export type RowChange =
  | { readonly _tag: 'Set'; readonly row: Row; readonly absentBefore: boolean }
  /** `key` where it has several columns: the text of the key alone does not tell them. */
  | { readonly _tag: 'Unset'; readonly absentBefore: boolean; readonly key?: Row }
  | { readonly _tag: 'Patch'; readonly patch: Row }
  | { readonly _tag: 'Add'; readonly key: Row; readonly counters: Readonly<Record<string, number>> };

/** A row that did not exist before. */
export const insert = (row: Row): RowChange => ({ _tag: 'Set', row, absentBefore: true });
/** A row that replaces whatever stood there. */
export const put = (row: Row): RowChange => ({ _tag: 'Set', row, absentBefore: false });
/** The row goes; nothing happens where there is none. */
export const remove: RowChange = { _tag: 'Unset', absentBefore: false };
/** Some columns change; nothing happens where there is no row. */
export const patch = (columns: Row): RowChange => ({ _tag: 'Patch', patch: columns });
/** Counters of a row that is a sum over streams; the row exists while any counter differs from 0. */
export const add = (key: Row, counters: Readonly<Record<string, number>>): RowChange => ({
  _tag: 'Add',
  key,
  counters,
});

const addCounters = (
  first: Readonly<Record<string, number>>,
  second: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> => {
  const sum: Record<string, number> = { ...first };
  for (const [name, count] of Object.entries(second)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
};

/** First `first`, then `then`: associative. Sums and owned rows never share a key; where they would, the later wins. */
export const compose = (first: RowChange, then: RowChange): RowChange => {
  switch (then._tag) {
    case 'Add':
      return first._tag === 'Add'
        ? { _tag: 'Add', key: first.key, counters: addCounters(first.counters, then.counters) }
        : then;
    case 'Set':
      return { _tag: 'Set', row: then.row, absentBefore: knownAbsent(first) };
    case 'Unset':
      return { _tag: 'Unset', absentBefore: knownAbsent(first) };
    case 'Patch':
      return patched(first, then);
  }
};

const knownAbsent = (first: RowChange): boolean =>
  (first._tag === 'Set' || first._tag === 'Unset') && first.absentBefore;

const patched = (first: RowChange, then: Extract<RowChange, { _tag: 'Patch' }>): RowChange => {
  switch (first._tag) {
    case 'Set':
      return { ...first, row: { ...first.row, ...then.patch } };
    case 'Patch':
      return patch({ ...first.patch, ...then.patch });
    case 'Unset':
      return first;
    case 'Add':
      return then;
  }
};

/** A change with its address. `owner` is the stream the row belongs to; undefined where the row is a sum over streams. */
export interface TableChange {
  readonly table: string;
  readonly key: string;
  readonly owner: string | undefined;
  readonly change: RowChange;
}

export interface KeyedChange {
  readonly owner: string | undefined;
  readonly change: RowChange;
}

/** Net changes of a batch: table → key → change. The empty map is the identity. */
export type NetChanges = ReadonlyMap<string, ReadonlyMap<string, KeyedChange>>;

const taken = (counters: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(counters).map(([name, count]) => [name, count === 0 ? 0 : -count]));

const undone = (change: RowChange, keyColumns: readonly string[]): RowChange | undefined => {
  switch (change._tag) {
    case 'Set': {
      const key = Object.fromEntries(keyColumns.map((column) => [column, change.row[column] ?? null]));
      return { _tag: 'Unset', absentBefore: false, key };
    }
    case 'Add':
      return add(change.key, taken(change.counters));
    default:
      return undefined;
  }
};

/**
 * Takes away what whole streams have brought, given their net effect: rows that are theirs go, and what they had added to sums is
 * subtracted. What is left is what the other streams alone would have given.
 * @param keysOf the key columns of a table
 */
export const inverseOf = (net: NetChanges, keysOf: (table: string) => readonly string[]): NetChanges => {
  const inverse = new Map<string, Map<string, KeyedChange>>();
  for (const [table, rows] of net) {
    const changes = new Map<string, KeyedChange>();
    for (const [key, { owner, change }] of rows) {
      const back = undone(change, keysOf(table));
      if (back !== undefined) changes.set(key, { owner, change: back });
    }
    inverse.set(table, changes);
  }
  return inverse;
};

/** Folds further changes into a net effect that the caller owns; a batch has thousands, so this one mutates. */
export class ChangeSet {
  readonly tables = new Map<string, Map<string, KeyedChange>>();

  fold(next: TableChange): void {
    let rows = this.tables.get(next.table);
    if (rows === undefined) {
      rows = new Map();
      this.tables.set(next.table, rows);
    }
    const before = rows.get(next.key);
    const change = before === undefined ? next.change : compose(before.change, next.change);
    rows.set(next.key, { owner: next.owner, change });
  }

  foldAll(changes: NetChanges): void {
    for (const [table, rows] of changes) {
      for (const [key, { owner, change }] of rows) this.fold({ table, key, owner, change });
    }
  }
}

export const foldChanges = (changes: Iterable<TableChange>): NetChanges => {
  const set = new ChangeSet();
  for (const change of changes) set.fold(change);
  return set.tables;
};

export const concatChanges = (first: NetChanges, second: NetChanges): NetChanges => {
  const set = new ChangeSet();
  set.foldAll(first);
  set.foldAll(second);
  return set.tables;
};

/** The row after the change; undefined where there is none. The meaning of a change, for memory tables and for tests. */
export const applyChange = (row: Row | undefined, change: RowChange): Row | undefined => {
  switch (change._tag) {
    case 'Set':
      return change.row;
    case 'Unset':
      return undefined;
    case 'Patch':
      return row === undefined ? undefined : { ...row, ...change.patch };
    case 'Add':
      return summed(row, change.key, change.counters);
  }
};

/** A counter that is 0 is not in the row: so a row is the same whichever way its sums came about. */
const summed = (
  row: Row | undefined,
  key: Row,
  counters: Readonly<Record<string, number>>,
): Row | undefined => {
  const next: Record<string, Value> = { ...(row ?? key) };
  for (const [name, count] of Object.entries(counters)) {
    const sum = Number(next[name] ?? 0) + count;
    if (sum === 0) delete next[name];
    else next[name] = sum;
  }
  return Object.keys(next).length > Object.keys(key).length ? next : undefined;
};
