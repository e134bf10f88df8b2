// `npm run demo` of a fresh clone: installs and builds what is missing, then runs the demo.
import { spawn } from 'node:child_process';
import { build } from './build.mjs';
import { install } from './install.mjs';
import { root, stop } from './stage.mjs';

if (!install()) stop('the demo did not start: installation failed');
if (!build()) stop('the demo did not start: the build failed');

const args = ['dist/runners/cli.js', 'demo', ...process.argv.slice(2)];
const demo = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
// The terminal sends Ctrl-C to both; this process only waits for the demo's own graceful end.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => demo.kill('SIGTERM'));
demo.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
