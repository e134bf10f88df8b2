/** What a command of the program is: its words for commander, and an action that gets everything it needs as a value. */
import type { Command } from 'commander';
import type { LedgerConfig } from '../config.js';
import type { Stray } from '../worker/culprits.js';
import type { Ledger } from '../ledger.js';
import type { Output } from '../cli/output.js';
import type { Outcome } from './outcome.js';

export interface CommandContext {
  readonly config: LedgerConfig;
  /** `--json` was given. */
  readonly json: boolean;
  readonly out: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Opens the ledger for the time of `use`. `by` says who writes, as the events' metadata tell. */
  readonly withLedger: (by: string, use: (ledger: Ledger) => Promise<Outcome>) => Promise<Outcome>;
  /**
   * From now on the first SIGINT or SIGTERM only fires this signal, and the second ends the process. A command that never asks is
   * ended by the first.
   */
  readonly stopSignal: () => AbortSignal;
  /** Who is asked about an error that nobody waited for, which ends the process. */
  readonly onStray: (ask: () => Stray) => void;
}

export type Action = (context: CommandContext) => Promise<Outcome>;

export interface CliCommand {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Command lines that work as they stand, shown under --help. */
  readonly examples: readonly string[];
  /** Declares arguments and options, and hands what was given on to the action. */
  readonly register: (command: Command, run: (action: Action) => Promise<void>) => void;
}
