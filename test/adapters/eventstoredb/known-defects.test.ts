// The table of the client's defects (docs/eventstoredb-client.md) names tests: they are there.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const textOf = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

describe('the known defects of the client', () => {
  const rows = textOf('../../../docs/eventstoredb-client.md')
    .split('\n')
    .filter((line) => /^\| (?!defect|---)/.test(line))
    .map((line) => line.split(' | ').at(-1) ?? '');
  const tests = readdirSync(new URL('.', import.meta.url))
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('known-defects'))
    .map((name) => textOf(name))
    .join('\n');

  it('have a test each that shows them contained', () => {
    expect(rows).to.have.length(14);
    for (const row of rows) {
      const named = [...row.matchAll(/`([^`]+)`/g)].map(([, title = '']) => title);
      expect(named, row).to.not.be.empty;
      for (const title of named)
        expect(tests.includes(`it('${title}`) || tests.includes(`it(\`${title}`), title).to.equal(true);
    }
  });
});
