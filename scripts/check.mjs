// Types, lint and format, in this order; the first that fails ends the check.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode } from './stage.mjs';

const stages = [
  ['types', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']],
  ['lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings']],
  ['format', ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.']],
];

export const check = () => {
  for (const [name, args] of stages) {
    process.stderr.write(`${name} …\n`);
    if (!runNode(args).ok) {
      process.stderr.write(`${name} failed\n`);
      return false;
    }
  }
  return true;
};

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = check() ? 0 : 1;
}
