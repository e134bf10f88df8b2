#!/usr/bin/env node
/** The `jobledger` command. Nothing here decides anything: it joins the process to the program. */
import { commands } from './commands/index.js';
import { withoutPasswords } from './commands/outcome.js';
import { output } from './output.js';
import { perform } from './perform.js';
import { runProgram } from './program.js';

const { env, stdout, stderr } = process;
const out = output({ stdout, stderr, now: Date.now });

const stopSignal = (): AbortSignal => {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(name));
  return stop.signal;
};

const main = async (): Promise<void> => {
  const host = {
    commands,
    perform: perform.bind(undefined, { env, cwd: process.cwd(), out, stopSignal }),
    write: (text: string) => void stdout.write(text),
    tell: (text: string) => void stderr.write(text),
    columns: stdout.columns ?? 100,
  };
  const outcome = await runProgram(host, process.argv.slice(2));
  if (outcome.status !== 0) out.tell(`jobledger: ${withoutPasswords(outcome.message)}`);
  await out.flushed();
  process.exitCode = outcome.status;
};

await main();
