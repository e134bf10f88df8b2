#!/usr/bin/env node
/** The `jobledger` command: joins the process to the program, and decides nothing. */
// Before all others: it has to be there when node-postgres is loaded.
import './cli/navigator.js';
import { placeOf, unexpected, withoutPasswords } from './commands/outcome.js';
import { runCli } from './cli/run-cli.js';
import type { Stray } from './worker/culprits.js';

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
let askStray = (): Stray | undefined => undefined;
let isEnding = false;
/** What takes longer is left to the lease. */
const MOST_SPARING_MS = 2_000;

// Thrown where nobody waits for it, in a handler's timer for example: this process cannot be trusted any more.
process.on('uncaughtException', (error) => {
  const { status, message } = unexpected(error, env);
  const place = placeOf(error);
  const stray = askStray();
  const told = [message, place && `thrown at ${place}`, stray?.words].filter((text) => text !== undefined);
  stderr.write(`jobledger: ${withoutPasswords(told.join('; '))}\n`);
  if (isEnding) return;
  isEnding = true;
  const end = (): void => process.exit(status);
  setTimeout(end, MOST_SPARING_MS);
  void (stray?.spare() ?? Promise.resolve()).then(end, end);
});
process.exitCode = await runCli(argv.slice(2), {
  env,
  cwd: process.cwd(),
  stdout,
  stderr,
  columns: stdout.columns ?? 100,
  now: Date.now,
  stopSignal,
  onStray: (ask) => {
    askStray = ask;
  },
});
