// The rules of the dependency direction and of purity, checked on the text of every production file.
import { expect } from 'chai';
import { ambientProblems, importProblems } from './support/architecture-rules.js';
import {
  importsOf,
  layers,
  runtimeDependencies,
  sourceFiles,
  withoutComments,
  type Layer,
  type SourceFile,
} from './support/source-files.js';

const file = (path: string, code: string): SourceFile => {
  const layer: Layer = layers.find((name) => path.startsWith(`${name}/`)) ?? 'domain';
  return { path, layer, code, imports: importsOf(withoutComments(code)) };
};

const declared = ['fp-ts', 'io-ts', 'pg', 'pg-copy-streams', 'commander'];

const titlesOf = (suite: Mocha.Suite): readonly string[] => [
  ...suite.tests.map((test) => test.fullTitle()),
  ...suite.suites.flatMap(titlesOf),
];

const rootOf = (suite: Mocha.Suite): Mocha.Suite =>
  suite.parent === undefined ? suite : rootOf(suite.parent);

describe('the architecture', () => {
  it('is judged on production files of every layer', () => {
    const seen = sourceFiles();
    for (const layer of layers) {
      expect(
        seen.filter((source) => source.layer === layer),
        layer,
      ).to.not.be.empty;
    }
    expect(seen.flatMap((source) => source.imports)).to.not.be.empty;
  });

  it('lets every file import only what its layer and its adapter may know', () => {
    const problems = sourceFiles().flatMap((source) => importProblems(source, runtimeDependencies()));
    expect(problems).to.deep.equal([]);
  });

  it('keeps SQL in the adapters: runners ask through ports', () => {
    const asking = sourceFiles().filter(
      ({ layer, code }) => layer === 'runners' && /__schema__|\browsOf\b|\.query\(/.test(code),
    );
    expect(asking.map(({ path }) => path)).to.deep.equal([]);
  });

  it('keeps time and chance out of domain and projections, and the machine out of domain', () => {
    const judged = sourceFiles().filter(({ layer }) => layer === 'domain' || layer === 'projections');
    expect(judged).to.not.be.empty;
    expect(judged.flatMap(ambientProblems)).to.deep.equal([]);
  });

  it('has no two tests with the same full title', function () {
    const { parent } = this.runnable();
    const titles = parent === undefined ? [] : titlesOf(rootOf(parent));
    expect(titles).to.include('the architecture has no two tests with the same full title');
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).to.deep.equal([]);
  });
});

describe('the architecture test itself', () => {
  it('sees every form of import', () => {
    const code = [
      "import { a } from './a.js';",
      "import {\n  b,\n  c,\n} from './b.js';",
      "import type { D } from './d.js';",
      "import './e.js';",
      "export { f } from './f.js';",
      "export * from './g.js';",
      "const h = await import('./h.js');",
      "// import { i } from './i.js';",
    ].join('\n');
    const seen = [...importsOf(withoutComments(code))].sort((a, b) => a.localeCompare(b));
    expect(seen).to.deep.equal(['a', 'b', 'd', 'e', 'f', 'g', 'h'].map((name) => `./${name}.js`));
  });

  const refused: readonly (readonly [string, string])[] = [
    ['domain/job/decide.ts', "import { x } from '../../projections/job-table.js';"],
    ['domain/job/decide.ts', "import { randomUUID } from 'node:crypto';"],
    ['domain/job/decide.ts', "import pg from 'pg';"],
    ['domain/job/decide.ts', "import * as E from 'fp-ts/Either';"],
    ['projections/job-table.ts', "import { x } from '../adapters/postgres/sink.js';"],
    ['adapters/memory/store.ts', "import { x } from '../postgres/sink.js';"],
    ['adapters/memory/store.ts', "import pg from 'pg';"],
    ['adapters/postgres/sink.ts', "import { x } from '../../runners/cli.js';"],
    ['adapters/postgres/sink.ts', "import { x } from '../mediawiki/dump.js';"],
    ['runners/cli.ts', "import { x } from '../test/support/postgres.js';"],
    ['runners/cli.ts', "import { x } from '../bench/statistics.js';"],
    ['runners/cli.ts', "import { expect } from 'chai';"],
  ];
  for (const [path, code] of refused) {
    it(`refuses ${code} in ${path}`, () => {
      expect(importProblems(file(path, code), declared)).to.have.lengthOf(1);
    });
  }

  const accepted: readonly (readonly [string, string])[] = [
    ['domain/job/decide.ts', "import * as E from 'fp-ts/lib/Either.js';"],
    ['projections/job-table.ts', "import { x } from '../domain/ledger.js';"],
    ['adapters/postgres/sink.ts', "import pg from 'pg';"],
    ['adapters/mediawiki/attach.ts', "import { x } from '../postgres/sink.js';"],
    ['runners/cli.ts', "import { Command } from 'commander';"],
  ];
  for (const [path, code] of accepted) {
    it(`accepts ${code} in ${path}`, () => {
      expect(importProblems(file(path, code), declared)).to.deep.equal([]);
    });
  }

  const impure = [
    'Date.now()',
    'new Date()',
    'Date()',
    'Math.random()',
    'performance.now()',
    'setTimeout(f)',
  ];
  for (const code of impure) {
    it(`refuses ${code} in projections`, () => {
      expect(ambientProblems(file('projections/x.ts', code))).to.not.be.empty;
    });
  }

  const ofTheMachine = ['process.env', 'Buffer.from(x)', 'Promise.all(x)', 'async () => x'];
  for (const code of ofTheMachine) {
    it(`refuses ${code} in domain`, () => {
      expect(ambientProblems(file('domain/x.ts', code))).to.not.be.empty;
    });
  }

  it('accepts a date made of a value', () => {
    expect(ambientProblems(file('domain/x.ts', 'new Date(milliseconds).toISOString()'))).to.deep.equal([]);
  });
});
