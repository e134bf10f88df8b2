// Makes one file of the compiled modules: a command that has to find and read hundreds of them starts twice as slowly.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const BUNDLE = 'runners/jobledger.js';
const COMMAND = 'runners/cli.js';

const options = {
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  allowOverwrite: true,
  logLevel: 'warning',
};

// The command is in the bundle, and is not bundled a second time with the few lines that start it.
const commandFromBundle = {
  name: 'command-from-bundle',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/command\.js$/ }, () => ({ path: './jobledger.js', external: true }));
  },
};

// Declarations stay as the compiler made them.
const bundle = async (folder) => {
  const file = (name) => join(folder, name);
  await build({ ...options, entryPoints: [file(BUNDLE)], outfile: file(BUNDLE) });
  await build({
    ...options,
    entryPoints: [file(COMMAND)],
    outfile: file(COMMAND),
    plugins: [commandFromBundle],
  });
  for (const name of readdirSync(folder, { recursive: true })) {
    const isKept = [BUNDLE, COMMAND].includes(name.replaceAll('\\', '/'));
    if (name.endsWith('.js') && !isKept) rmSync(file(name));
  }
};

await bundle(process.argv[2]);
