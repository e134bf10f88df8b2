// `npm run bench`: builds, installs what the benchmark needs of its own, and runs it.
import { spawn } from 'node:child_process';
import { build } from './build.mjs';
import { install } from './install.mjs';
import { root, stop } from './stage.mjs';

if (!install()) stop('the benchmark did not start: installation failed');
if (!build()) stop('the benchmark did not start: the build failed');
if (!install('bench/programs'))
  stop('the benchmark did not start: its own dependencies could not be installed');

const asked = process.argv.slice(2);
const isGrowth = asked[0] === 'growth';
const args = [
  '--import',
  'tsx',
  ...(isGrowth ? ['bench/growth/main.ts', ...asked.slice(1)] : ['bench/main.ts', ...asked]),
];
const bench = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
// The terminal sends Ctrl-C to both; this process only waits for the benchmark to clear up.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => bench.kill('SIGTERM'));
bench.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
