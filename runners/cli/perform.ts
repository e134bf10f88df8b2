/** What stands around a command's action: configuration, the ledger, signals, and the last resort for what nobody expected. */
import * as E from 'fp-ts/lib/Either.js';
import { schemaName } from '../../adapters/postgres/schema-name.js';
import type { Action, CommandContext } from '../commands/command.js';
import { failedOutside, unexpected, wrongUsage, type Outcome } from '../commands/outcome.js';
import { readConfig, type LedgerConfig } from '../config.js';
import { openLedger, type Ledger } from '../ledger.js';
import type { Output } from './output.js';
import type { GlobalOptions } from './program.js';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly out: Output;
  readonly stopSignal: () => AbortSignal;
  readonly onStray: CommandContext['onStray'];
}

/** A URL of another kind is a mistake of the caller's; a server that does not answer is not. */
const notOpened = (
  { databaseUrl = 'postgres://', eventstoreUrl = 'esdb://' }: LedgerConfig,
  message: string,
): Outcome =>
  /^postgres(ql)?:\/\//.test(databaseUrl) && /^esdb(\+discover)?:\/\//.test(eventstoreUrl)
    ? failedOutside(message)
    : wrongUsage(message);

/** Even an unexpected error leaves no connection behind. */
const closing = async (ledger: Ledger, work: () => Promise<Outcome>): Promise<Outcome> => {
  try {
    return await work();
  } finally {
    await ledger.close();
  }
};

export const perform = async (
  around: Surroundings,
  action: Action,
  { json, ...flags }: GlobalOptions,
): Promise<Outcome> => {
  const config = readConfig(flags, around.env, around.cwd);
  if (E.isLeft(config)) return wrongUsage(config.left.message);
  const schema = schemaName(config.right.schema);
  if (E.isLeft(schema)) return wrongUsage(schema.left.message);
  const context: CommandContext = {
    ...around,
    config: config.right,
    json: json === true,
    withLedger: async (by, use) => {
      const ledger = await openLedger({ ...config.right, by, report: around.out.tell })();
      return E.isLeft(ledger)
        ? notOpened(config.right, ledger.left.message)
        : closing(ledger.right, () => use(ledger.right));
    },
  };
  try {
    return await action(context);
  } catch (error) {
    return unexpected(error, around.env);
  }
};
