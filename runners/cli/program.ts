/** The command line: commander's program from our commands, and every way of ending as an outcome. */
import { Command, CommanderError, InvalidArgumentError, type Argument, type Option } from 'commander';
import type { Action, CliCommand } from '../commands/command.js';
import { done, wrongUsage, type Outcome } from '../commands/outcome.js';
import { VERSION } from '../version.js';
import { shellWord } from './shell-word.js';

export interface GlobalOptions {
  readonly databaseUrl?: string;
  readonly home?: string;
  readonly schema?: string;
  readonly eventstoreUrl?: string;
  readonly ledger?: string;
  readonly json?: true;
}

export interface ProgramHost {
  readonly commands: readonly CliCommand[];
  readonly perform: (action: Action, options: GlobalOptions) => Promise<Outcome>;
  readonly write: (text: string) => void;
  readonly tell: (text: string) => void;
  /** Columns of the terminal, for help. */
  readonly columns: number;
}

const describeProgram = ({ write, tell, columns }: ProgramHost): Command =>
  new Command('jobledger')
    .description('An event-sourced job ledger.')
    .version(VERSION, '--version', 'show the version')
    .helpOption('--help', 'show this help')
    .helpCommand(false)
    .option('--database-url <url>', 'PostgreSQL to use (JOBLEDGER_DATABASE_URL; default: an embedded one)')
    .option('--home <folder>', 'where the embedded one lives (JOBLEDGER_HOME; default: .jobledger)')
    .option(
      '--eventstore-url <url>',
      'EventStoreDB that keeps the history (JOBLEDGER_EVENTSTORE_URL; default: none)',
    )
    .option('--ledger <name>', 'name of the ledger there (JOBLEDGER_LEDGER; default: jobledger)')
    .option('--schema <name>', 'schema of the tables (JOBLEDGER_SCHEMA; default: jobledger)')
    .option('--json', 'answer in JSON on standard output')
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: tell,
      outputError: () => undefined,
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
    })
    .configureHelp({ showGlobalOptions: true });

type Parsed = (value: string, previous: unknown) => unknown;

/** A variable of the shell that is not set would otherwise leave out what it was to say, or stand for everything. */
const saysSomething =
  (parse: Parsed = (value) => value): Parsed =>
  (value, previous) => {
    if (value.trim() === '') throw new InvalidArgumentError('It is empty.');
    return parse(value, previous);
  };

const gathered: Parsed = (value, previous) => [...(Array.isArray(previous) ? previous : []), value];

const refuseEmpty = ({ options, registeredArguments }: Command): void => {
  const values: readonly (Option | Argument)[] = [
    ...options.filter(({ required }) => required),
    ...registeredArguments,
  ];
  for (const each of values) {
    // What takes several values gathers them only where it is parsed by nobody.
    each.argParser(saysSomething(each.parseArg ?? (each.variadic ? gathered : undefined)));
  }
};

const BESIDE_A_WORD = ['commander.excessArguments', 'commander.missingMandatoryOptionValue'];

/** A word behind a command that takes none was most likely meant as the type. */
const meantType = ({ args, options, registeredArguments }: Command, code: string): string => {
  const [word] = args;
  const takesType = registeredArguments.length === 0 && options.some(({ long }) => long === '--type');
  return BESIDE_A_WORD.includes(code) && takesType && word !== undefined && !word.startsWith('-')
    ? `; a type is named by a flag: --type ${shellWord(word)}`
    : '';
};

/** commander says `error: unknown option '--jsn'` and its suggestion on a second line; a sentence is enough. */
const sentence = (command: Command | undefined, { code, message }: CommanderError): string => {
  const plain = message
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/\.$/, '');
  const meant = command === undefined ? '' : meantType(command, code);
  return `${plain}${meant}; see "jobledger${command === undefined ? '' : ` ${command.name()}`} --help"`;
};

/** Runs one command line; never throws for what a user typed. */
export const runProgram = async (host: ProgramHost, args: readonly string[]): Promise<Outcome> => {
  const program = describeProgram(host);
  refuseEmpty(program);
  let outcome: Outcome = done;
  const run = async (action: Action): Promise<void> => {
    outcome = await host.perform(action, program.opts<GlobalOptions>());
  };
  for (const { name, summary, examples, register } of host.commands) {
    const command = program.command(name).description(summary).helpOption('--help', 'show this help');
    const shown = examples.map((example) => `  $ ${example}`).join('\n');
    command.addHelpText('after', `\nExample${examples.length > 1 ? 's' : ''}:\n${shown}`);
    register(command, run);
    refuseEmpty(command);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return outcome;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.help') return wrongUsage('say which command; they are listed above');
    if (error.exitCode === 0) return done;
    const named = program.commands.find((command) => args.includes(command.name()));
    return wrongUsage(sentence(named, error));
  }
};
