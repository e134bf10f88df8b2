#!/usr/bin/env node
/** The `jobledger` command: joins the process to the program, and decides nothing. */
import { placeOf, unexpected, withoutPasswords } from './commands/outcome.js';
import { runCli } from './cli/run-cli.js';

const STOPS = ['SIGINT', 'SIGTERM'] as const;

/** The first of either; the second then ends the process, whichever it is. */
const stopSignal = (): AbortSignal => {
  const stop = new AbortController();
  const first = (name: NodeJS.Signals): void => {
    for (const each of STOPS) process.off(each, first);
    stop.abort(name);
  };
  for (const name of STOPS) process.on(name, first);
  return stop.signal;
};

const { env, stdout, stderr, argv } = process;
let culprits = (): string | undefined => undefined;
// Thrown where nobody waits for it, in a handler's timer for example: this process cannot be trusted any more.
process.on('uncaughtException', (error) => {
  const { status, message } = unexpected(error, env);
  const place = placeOf(error);
  const named = culprits();
  const told = [message, place && `thrown at ${place}`, named].filter((text) => text !== undefined);
  stderr.write(`jobledger: ${withoutPasswords(told.join('; '))}\n`);
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
  onStray: (words) => {
    culprits = words;
  },
});
