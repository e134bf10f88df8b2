// Runs one child process of the tool chain and tells whether it succeeded.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const run = (command, args, options) => {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error !== undefined) process.stderr.write(`${command}: ${result.error.message}\n`);
  return { ok: result.status === 0, output: `${result.stdout ?? ''}${result.stderr ?? ''}` };
};

export const runNode = (args, options) => run(process.execPath, args, options);

// npm tells its scripts where it is; without it (node scripts/demo.mjs) the one on the path serves.
export const runNpm = (args, options) => {
  const npm = process.env.npm_execpath;
  if (npm !== undefined && /\.c?js$/.test(npm)) return runNode([npm, ...args], options);
  return run('npm', args, { shell: process.platform === 'win32', ...options });
};

export const stop = (message) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};
