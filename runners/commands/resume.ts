/** `resume`: lifts the pause of these queues, and says what still holds them. */
import * as E from 'fp-ts/lib/Either.js';
import { NO_REASON } from '../operations/operate.js';
import { scopeInWords } from '../../domain/queue/scope.js';
import { widerPauses } from '../../domain/queue/settings.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, storeFailed, wrongUsage, type Outcome } from './outcome.js';
import { control, scopeFlaw, scopeOf, withScope, type ScopeFlags } from './queue-scope.js';

interface ResumeFlags extends ScopeFlags {
  readonly reason?: string;
}

const resumeQueues = async (
  { out, json, withLedger }: CommandContext,
  flags: ResumeFlags,
): Promise<Outcome> => {
  const flaw = scopeFlaw(flags);
  if (flaw !== undefined) return wrongUsage(flaw);
  const scope = scopeOf(flags);
  return withLedger('operator', async (ledger) => {
    const refused = await control(
      ledger,
      { _tag: 'ResumeQueue', scope, why: flags.reason ?? NO_REASON },
      flags,
    );
    if (refused !== undefined) return refused;
    const decisions = await ledger.queueBook.decisions()();
    if (E.isLeft(decisions)) return storeFailed(decisions.left);
    const wider = widerPauses(
      decisions.right.pauses.map((pause) => pause.scope),
      scope,
    );
    if (json) await out.json({ ...scope, paused: wider.length > 0 });
    else if (wider.length === 0) await out.line(`${scopeInWords(scope)}: resumed`);
    else {
      const held = wider.map(scopeInWords).join(', ');
      await out.line(`${scopeInWords(scope)}: resumed, and held still by the pause of ${held}`);
    }
    return done;
  });
};

export const resume: CliCommand = {
  name: 'resume',
  summary: 'claim again from queues that were paused',
  examples: ['jobledger resume --type refreshLinks', 'jobledger resume --all --reason "the move is done"'],
  register: (command, run) =>
    withScope(command)
      .option('--reason <text>', 'why, as the history tells')
      .action((flags: ResumeFlags) => run((context) => resumeQueues(context, flags))),
};
