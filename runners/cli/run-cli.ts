/** One command line from its words to its exit status, on whatever streams and environment it is given. */
import type { CommandContext } from '../commands/command.js';
import { commandsFor } from '../commands/index.js';
import { withoutPasswords } from '../commands/outcome.js';
import { output, type Streams } from './output.js';
import { perform } from './perform.js';
import { runProgram } from './program.js';

export interface Process extends Streams {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Columns of the terminal. */
  readonly columns: number;
  readonly stopSignal: () => AbortSignal;
  readonly onStray: CommandContext['onStray'];
}

export const runCli = async (args: readonly string[], around: Process): Promise<0 | 1 | 2 | 3> => {
  const { env, cwd, columns, stopSignal, onStray, stdout, stderr } = around;
  const out = output(around);
  const host = {
    commands: await commandsFor(args),
    perform: perform.bind(undefined, { env, cwd, out, stopSignal, onStray }),
    write: (text: string) => void stdout.write(text),
    tell: (text: string) => void stderr.write(text),
    columns,
  };
  const outcome = await runProgram(host, args);
  if (outcome.status !== 0) out.tell(`jobledger: ${withoutPasswords(outcome.message)}`);
  const unwritten = await out.flushed();
  if (unwritten === undefined) return outcome.status;
  out.tell(`jobledger: the answer could not be written to standard output: ${unwritten}`);
  return 3;
};
