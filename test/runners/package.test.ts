// The package as it is built: few files to read, the command in the same module as the library that handlers import.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as library from '../../runners/index.js';

const root = join(import.meta.dirname, '../..');
const built = join(root, 'dist/runners/jobledger.js');
const PACKAGE = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly bin: { readonly jobledger: string };
};

const output = (...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).trim();

describe('the built package', () => {
  before(() => {
    if (!existsSync(built)) throw new Error('dist/ is not there: npm run build');
  });

  it('is two modules, beside the declarations', () => {
    const modules = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.js'),
    );
    expect(modules.map((name) => name.replaceAll('\\', '/'))).to.have.members([
      'runners/cli.js',
      'runners/jobledger.js',
    ]);
  });

  it('has a command that runs', () => {
    expect(output(PACKAGE.bin.jobledger, '--version')).to.equal(PACKAGE.version);
  });

  it('gives whoever imports it by its name the whole library', () => {
    const names = output(
      '--input-type=module',
      '-e',
      `console.log(Object.keys(await import('jobledger')).join())`,
    );
    expect(names.split(',')).to.have.members([...Object.keys(library), 'command']);
  });

  it('finds its migrations', () => {
    expect(output(PACKAGE.bin.jobledger, 'migrate', '--plan')).to.include('CREATE TABLE');
  });
});
