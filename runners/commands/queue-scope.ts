/** What `pause`, `resume` and `configure` share: which queues, who decides, and how a refusal is told. */
import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { QueueCommand } from '../../domain/queue/decide.js';
import { scopeInWords, type Scope } from '../../domain/queue/scope.js';
import { explainQueueError, type QueueError } from '../queues/errors.js';
import { controlQueue } from '../queues/queue-control.js';
import type { Ledger } from '../ledger.js';
import { operator } from './operator.js';
import { failedOutside, negative, wrongUsage, type Outcome } from './outcome.js';

export interface ScopeFlags {
  readonly wiki?: string;
  readonly type?: string;
  readonly all?: true;
  readonly by?: string;
}

export const withScope = (command: Command): Command =>
  command
    .option('--wiki <id>', 'of this wiki; with --type, one queue')
    .option('--type <type>', 'of this type; without --wiki, on every wiki')
    .option('--all', 'every queue there is')
    .option('--by <name>', 'who, as the history tells (default: the name you are logged in under)');

/** What one forgot to say must not hold for everything. */
export const scopeFlaw = ({ wiki, type, all }: ScopeFlags): string | undefined => {
  const isNamed = wiki !== undefined || type !== undefined;
  if (all === true && isNamed) return '--all goes without --wiki and --type';
  return all === true || isNamed ? undefined : 'say which queues: --type, --wiki, both, or --all';
};

export const scopeOf = ({ wiki, type }: ScopeFlags): Scope => ({ wiki, type });

const FLAGS: Readonly<Record<string, string>> = {
  perSecond: '--jobs-per-second',
  itemsPerSecond: '--items-per-second',
};

/** What the user has typed, in place of our own name for it. */
const inFlags = (error: Extract<QueueError, { _tag: 'InvalidQueue' }>): string =>
  explainQueueError({ ...error, path: FLAGS[error.path] ?? `--${error.path}` });

const refusal = (scope: Scope, error: QueueError): Outcome => {
  switch (error._tag) {
    case 'InvalidQueue':
      return wrongUsage(inFlags(error));
    case 'AlreadyPaused':
    case 'NotPaused':
    case 'NothingChanges':
      return negative(`${scopeInWords(scope)}: ${explainQueueError(error)}`);
    default:
      return failedOutside(explainQueueError(error));
  }
};

/** Undefined where it is done. */
export const control = async (
  ledger: Ledger,
  command: QueueCommand,
  flags: ScopeFlags,
): Promise<Outcome | undefined> => {
  const written = await controlQueue(ledger, command, flags.by ?? operator())();
  return E.isLeft(written) ? refusal(command.scope, written.left) : undefined;
};
