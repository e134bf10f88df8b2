/** Joins the process to the program, and decides nothing. */
import { placeOf, unexpected, withoutPasswords } from '../commands/outcome.js';
import type { Stray } from '../worker/culprits.js';
import { runCli } from './run-cli.js';

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

/** What takes longer is left to the lease. */
const MOST_SPARING_MS = 2_000;

/** Of what is thrown where nobody waits for it, in a handler's timer for example: this process cannot be trusted any more. */
const endOnStray = (strayOf: () => Stray | undefined): void => {
  let isEnding = false;
  process.on('uncaughtException', (error) => {
    const { status, message } = unexpected(error, process.env);
    const place = placeOf(error);
    const stray = strayOf();
    const told = [message, place && `thrown at ${place}`, stray?.words].filter((text) => text !== undefined);
    process.stderr.write(`jobledger: ${withoutPasswords(told.join('; '))}\n`);
    if (isEnding) return;
    isEnding = true;
    const end = (): void => process.exit(status);
    setTimeout(end, MOST_SPARING_MS);
    void (stray?.spare() ?? Promise.resolve()).then(end, end);
  });
};

/** Runs the command that this process was started with, and sets its exit status. */
export const command = async (): Promise<void> => {
  const { env, stdout, stderr, argv } = process;
  let askStray = (): Stray | undefined => undefined;
  endOnStray(() => askStray());
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
};
