import { expect } from 'chai';
import fc from 'fast-check';
import {
  add,
  applyChange,
  compose,
  concatChanges,
  foldChanges,
  insert,
  patch,
  put,
  remove,
  type Row,
  type RowChange,
  type TableChange,
} from '../../projections/row-change.js';

const columns = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.constantFrom<Row[string]>(1, 2n, 'x', true, null),
  {
    noNullPrototype: true,
  },
);
const owned: fc.Arbitrary<RowChange> = fc.oneof(
  columns.map(insert),
  columns.map(put),
  columns.map(patch),
  fc.constant(remove),
  fc.constant<RowChange>({ _tag: 'Unset', absentBefore: true }),
);
const counters = fc.dictionary(
  fc.constantFrom('waiting', 'claimed', 'enqueued'),
  fc.integer({ min: -2, max: 2 }),
  {
    noNullPrototype: true,
  },
);
const key: Row = { wiki: 'enwiki', shard: 7 };
const sums: fc.Arbitrary<RowChange> = counters.map((counts) => add(key, counts));

/** A row of an owned table, or none; a row of a table of sums is one that sums have made. */
const ownedRow = fc.option(columns, { nil: undefined });
const summedRow = fc.array(sums).map((changes) => changes.reduce(applyChange, undefined as Row | undefined));

const kinds = [
  { kind: 'of owned rows', change: owned, row: ownedRow },
  { kind: 'of sums', change: sums, row: summedRow },
] as const;

for (const { kind, change, row } of kinds) {
  describe(`row changes ${kind}`, () => {
    it('compose associatively', () => {
      fc.assert(
        fc.property(change, change, change, (a, b, c) => {
          expect(compose(compose(a, b), c)).to.deep.equal(compose(a, compose(b, c)));
        }),
      );
    });

    it('mean, composed, what they mean one after the other', () => {
      fc.assert(
        fc.property(row, change, change, (before, a, b) => {
          expect(applyChange(before, compose(a, b))).to.deep.equal(applyChange(applyChange(before, a), b));
        }),
      );
    });

    const addressed = fc.array(
      fc.record({
        table: fc.constantFrom('one', 'two'),
        key: fc.constantFrom('k1', 'k2', 'k3'),
        owner: fc.constant<string | undefined>(undefined),
        change,
      }),
    );

    it('fold to the same net effect however a batch is split', () => {
      fc.assert(
        fc.property(addressed, fc.nat(), fc.nat(), (changes: readonly TableChange[], m, n) => {
          const [from, to] = [m, n].map((cut) => cut % (changes.length + 1)).toSorted((a, b) => a - b);
          const parts = [changes.slice(0, from), changes.slice(from, to), changes.slice(to)].map(foldChanges);
          const [first = new Map(), second = new Map(), third = new Map()] = parts;
          const whole = foldChanges(changes);
          expect(concatChanges(concatChanges(first, second), third)).to.deep.equal(whole);
          expect(concatChanges(first, concatChanges(second, third))).to.deep.equal(whole);
        }),
      );
    });

    it('have the empty fold as identity', () => {
      fc.assert(
        fc.property(addressed, (changes) => {
          const net = foldChanges(changes);
          expect(concatChanges(foldChanges([]), net)).to.deep.equal(net);
          expect(concatChanges(net, foldChanges([]))).to.deep.equal(net);
        }),
      );
    });
  });
}

describe('sums', () => {
  it('commute', () => {
    fc.assert(
      fc.property(summedRow, sums, sums, (row, a, b) => {
        expect(applyChange(applyChange(row, a), b)).to.deep.equal(applyChange(applyChange(row, b), a));
      }),
    );
  });

  it('vanish where all counters are 0, whatever numbers are in the key', () => {
    const there = applyChange(undefined, add(key, { waiting: 1, enqueued: 1 }));
    expect(there).to.deep.equal({ ...key, waiting: 1, enqueued: 1 });
    expect(applyChange(there, add(key, { waiting: -1, enqueued: -1 }))).to.equal(undefined);
    expect(applyChange(undefined, add(key, { waiting: 0 }))).to.equal(undefined);
    expect(applyChange(undefined, add(key, {}))).to.equal(undefined);
  });
});

describe('the net effect of a row that comes and goes within a batch', () => {
  const row = { a: 1 };

  it('is nothing that a table would have to do', () => {
    expect(compose(insert(row), remove)).to.deep.equal({ _tag: 'Unset', absentBefore: true });
    expect(compose(compose(insert(row), patch({ b: 2 })), remove)).to.deep.equal({
      _tag: 'Unset',
      absentBefore: true,
    });
  });

  it('is an insert where it was inserted, changed, taken out and put back', () => {
    const changes = [insert(row), patch({ b: 2 }), remove, put({ a: 9 }), patch({ b: 3 })];
    expect(changes.reduce(compose)).to.deep.equal(insert({ a: 9, b: 3 }));
  });

  it('is a delete where the row may have been there before', () => {
    expect(compose(put(row), remove)).to.deep.equal(remove);
    expect(compose(patch(row), remove)).to.deep.equal(remove);
  });

  it('is no row where only a patch follows a delete', () => {
    expect(applyChange(row, compose(remove, patch({ b: 2 })))).to.equal(undefined);
  });
});
