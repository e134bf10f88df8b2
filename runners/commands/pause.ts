/** `pause`: nothing of these queues is claimed from now on. */
import { scopeInWords } from '../../domain/queue/scope.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, wrongUsage, type Outcome } from './outcome.js';
import { control, scopeFlaw, scopeOf, withScope, type ScopeFlags } from './queue-scope.js';

interface PauseFlags extends ScopeFlags {
  readonly reason: string;
}

const pauseQueues = async (
  { out, json, withLedger }: CommandContext,
  flags: PauseFlags,
): Promise<Outcome> => {
  const flaw = scopeFlaw(flags);
  if (flaw !== undefined) return wrongUsage(flaw);
  const scope = scopeOf(flags);
  return withLedger('operator', async (ledger) => {
    const refused = await control(ledger, { _tag: 'PauseQueue', scope, why: flags.reason }, flags);
    if (refused !== undefined) return refused;
    await (json
      ? out.json({ ...scope, paused: true })
      : out.line(`${scopeInWords(scope)}: paused; what is claimed already runs on`));
    return done;
  });
};

export const pause: CliCommand = {
  name: 'pause',
  summary: 'stop claiming from queues: one, a type on every wiki, or a wiki',
  examples: [
    'jobledger pause --type refreshLinks --reason "the replicas are behind"',
    'jobledger pause --wiki enwiki --type sendMail --reason "the mail server moves"',
  ],
  register: (command, run) =>
    withScope(command)
      .requiredOption('--reason <text>', 'why, as the history tells')
      .action((flags: PauseFlags) => run((context) => pauseQueues(context, flags))),
};
