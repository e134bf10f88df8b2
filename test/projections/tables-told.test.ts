// What the README says of the names that `audit` and `rebuild` take.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { projectionNamed, projections } from '../../projections/index.js';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const told = (): readonly (readonly [name: string, tables: readonly string[]])[] => {
  const [, section = ''] = /<!-- audited -->(.*?)<!-- \/audited -->/s.exec(README) ?? [];
  return [...section.matchAll(/^\| `(\w+)` \| ([^:,\n]*)/gm)].map(([, name = '', cell = '']) => [
    name,
    [...cell.matchAll(/`(\w+)`/g)].map(([, table = '']) => table),
  ]);
};

describe('the tables that the README tells of', () => {
  it('are those of each projection', () => {
    const kept = told().map(([name, tables]) => [name, tables.filter((table) => table !== 'delayed_job')]);
    expect(kept).to.deep.equal(
      projections.map(({ name, tables }) => [name, tables.map((table) => table.name)]),
    );
  });

  it('stand for their projections, each by its own name', () => {
    for (const [name, tables] of told()) {
      for (const table of tables) expect(projectionNamed(table)?.name, table).to.equal(name);
    }
  });
});
