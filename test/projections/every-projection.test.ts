// What DESIGN §2.3 promises of every projection in the registry, on random histories of several jobs.
import { expect } from 'chai';
import fc from 'fast-check';
import type { ColumnType, ProjectedEvent, Table } from '../../projections/projection.js';
import { projections } from '../../projections/index.js';
import { foldChanges, inverseOf, type Row, type Value } from '../../projections/row-change.js';
import { stories } from '../support/arbitraries.js';
import { applyNet, changesOf, streamOf, tablesOf, type Tables } from '../support/given-rows.js';

const RUNS = { numRuns: 60 };

const histories = stories(3).map((jobs) => jobs.map((events, job) => streamOf(events, job)));

/** One order of the events of all streams that keeps the order within each. */
const interleaved = (
  streams: readonly (readonly ProjectedEvent[])[],
  picks: readonly number[],
): readonly ProjectedEvent[] => {
  const rest = streams.map((stream) => [...stream]);
  const merged: ProjectedEvent[] = [];
  for (const pick of picks) {
    const open = rest.filter((stream) => stream.length > 0);
    const next = open[pick % Math.max(1, open.length)]?.shift();
    if (next !== undefined) merged.push(next);
  }
  return [...merged, ...rest.flat()];
};

const picks = fc.array(fc.nat(5), { minLength: 40, maxLength: 80 });
const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 20 });

const batches = (events: readonly ProjectedEvent[], sizes: readonly number[]) => {
  const parts: (readonly ProjectedEvent[])[] = [];
  let from = 0;
  for (const size of sizes) {
    parts.push(events.slice(from, from + size));
    from += size;
  }
  return [...parts, events.slice(from)];
};

const emptyTables = (tables: readonly Table[]): Tables =>
  new Map(tables.map(({ name }) => [name, new Map<string, Row>()]));

const fits: Readonly<Record<ColumnType, (value: Value) => boolean>> = {
  text: (value) => typeof value === 'string' && !value.includes('\u0000'),
  uuid: (value) => typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value),
  bigint: (value) => /^-?\d+$/.test(String(value)),
  integer: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31,
  smallint: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 15,
  'double precision': (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  timestamptz: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)),
  timestamp: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)),
  bytea: (value) => typeof value === 'string' && value.startsWith('\\x'),
};

const misfits = (table: Table, row: Row): readonly string[] => {
  const columns = Object.entries(table.columns);
  const strange = Object.keys(row).filter((name) => !Object.hasOwn(table.columns, name));
  const missing = columns.filter(([name]) => !Object.hasOwn(row, name) && !table.isSum).map(([name]) => name);
  const wrong = columns
    .filter(([name, type]) => row[name] !== undefined && row[name] !== null && !fits[type](row[name]))
    .map(([name]) => name);
  return [...strange, ...missing, ...wrong];
};

for (const projection of projections) {
  describe(`the projection ${projection.name}`, () => {
    it('gives the same rows from a batch as from any split of it', () => {
      fc.assert(
        fc.property(histories, picks, cuts, (streams, order, sizes) => {
          const events = interleaved(streams, order);
          const one = tablesOf(projection, events);
          const parts = batches(events, sizes).map((part) => foldChanges(changesOf(projection, part)));
          expect(parts.reduce(applyNet, emptyTables(projection.tables))).to.deep.equal(one);
          const net = foldChanges(changesOf(projection, events));
          expect(applyNet(emptyTables(projection.tables), net)).to.deep.equal(one);
        }),
        RUNS,
      );
    });

    it('gives the same rows from every interleaving of the same streams', () => {
      fc.assert(
        fc.property(histories, picks, picks, (streams, order, another) => {
          expect(tablesOf(projection, interleaved(streams, order))).to.deep.equal(
            tablesOf(projection, interleaved(streams, another)),
          );
        }),
        RUNS,
      );
    });

    it('gives back, for whole streams, what the other streams alone give', () => {
      fc.assert(
        fc.property(histories, picks, fc.nat(2), (streams, order, n) => {
          const keys = new Map(projection.tables.map(({ name, key }) => [name, key]));
          const gone = streams[n] ?? [];
          const inverse = inverseOf(
            foldChanges(changesOf(projection, gone)),
            (table) => keys.get(table) ?? [],
          );
          const others = streams.filter((stream) => stream !== gone);
          expect(applyNet(tablesOf(projection, interleaved(streams, order)), inverse)).to.deep.equal(
            tablesOf(projection, others.flat()),
          );
        }),
        RUNS,
      );
    });

    it('writes rows with the columns of its tables, in their types', () => {
      fc.assert(
        fc.property(histories, (streams) => {
          const tables = tablesOf(projection, streams.flat());
          for (const table of projection.tables) {
            for (const row of tables.get(table.name)?.values() ?? []) {
              expect(misfits(table, row), table.name).to.deep.equal([]);
            }
          }
        }),
        RUNS,
      );
    });

    it('keeps rows under keys that are unique, and owned by one stream or by none', () => {
      fc.assert(
        fc.property(histories, (streams) => {
          const sums = new Set(projection.tables.filter(({ isSum }) => isSum).map(({ name }) => name));
          const owners = new Map<string, string | undefined>();
          for (const { table, key, owner } of changesOf(projection, streams.flat())) {
            expect(owner === undefined, table).to.equal(sums.has(table));
            const address = `${table} ${key}`;
            expect(owners.get(address) ?? owner).to.equal(owner);
            owners.set(address, owner);
          }
        }),
        RUNS,
      );
    });
  });
}
