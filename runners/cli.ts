#!/usr/bin/env node
/** The `jobledger` command: joins the process to the program, and decides nothing. */
import { runCli } from './run-cli.js';

const stopSignal = (): AbortSignal => {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(name));
  return stop.signal;
};

const { env, stdout, stderr, argv } = process;
process.exitCode = await runCli(argv.slice(2), {
  env,
  cwd: process.cwd(),
  stdout,
  stderr,
  columns: stdout.columns ?? 100,
  now: Date.now,
  stopSignal,
});
