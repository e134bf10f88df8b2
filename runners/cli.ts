#!/usr/bin/env node
/** The `jobledger` command: joins the process to the program, and decides nothing. */
import { unexpected, withoutPasswords } from './commands/outcome.js';
import { runCli } from './run-cli.js';

const stopSignal = (): AbortSignal => {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(name));
  return stop.signal;
};

const { env, stdout, stderr, argv } = process;
// Thrown where nobody waits for it, in a handler's timer for example: this process cannot be trusted any more.
process.on('uncaughtException', (error) => {
  const { status, message } = unexpected(error, env);
  stderr.write(`jobledger: ${withoutPasswords(message)}\n`);
  process.exit(status);
});
process.exitCode = await runCli(argv.slice(2), {
  env,
  cwd: process.cwd(),
  stdout,
  stderr,
  columns: stdout.columns ?? 100,
  now: Date.now,
  stopSignal,
});
