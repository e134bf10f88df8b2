// `npm test`: installs what is missing, builds, checks, runs all tests, and ends with the line `N passed, N failed`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { check } from './check.mjs';
import { install } from './install.mjs';
import { runNode } from './stage.mjs';

// Mocha adds the specs of its configuration to those it is given, so the fast run goes without it.
const fast = [
  '--no-config',
  '--node-option=import=tsx',
  '--timeout=60000',
  'test/architecture.test.ts',
  ...['domain', 'projections', 'adapters/memory'].map((folder) => `test/${folder}/**/*.test.ts`),
];

const finish = ({ passes, failures, pending }) => {
  const skipped = pending > 0 ? `, ${pending} skipped` : '';
  process.stdout.write(`${passes} passed, ${failures} failed${skipped}\n`);
  process.exitCode = failures === 0 && passes > 0 ? 0 : 1;
};

const failedBeforeTests = { passes: 0, failures: 1, pending: 0 };

const mocha = (args) => {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-tests-'));
  const countFile = join(folder, 'counts.json');
  try {
    const { ok } = runNode(
      [
        'node_modules/mocha/bin/mocha.js',
        '--reporter',
        './scripts/count-reporter.mjs',
        '--forbid-only',
        ...args,
      ],
      {
        env: { ...process.env, JOBLEDGER_TEST_COUNTS: countFile },
      },
    );
    const counts = JSON.parse(readFileSync(countFile, 'utf8'));
    // A run that ended badly after its last test (or found none) failed, whatever it counted.
    return ok || counts.failures > 0 ? counts : { ...counts, failures: 1 };
  } catch {
    return failedBeforeTests;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const main = (args) => {
  if (!install()) return failedBeforeTests;
  if (args[0] === '--fast') return mocha([...fast, ...args.slice(1)]);
  if (!build() || !check()) return failedBeforeTests;
  return mocha(args);
};

finish(main(process.argv.slice(2)));
