/** `job ID`: what the job is and where it stands. */
import * as E from 'fp-ts/lib/Either.js';
import { errorLine } from '../../domain/job/error-facts.js';
import { foldJob } from '../../domain/job/fold.js';
import { jobIdOf } from '../../domain/ledger.js';
import type { ExistingJob } from '../../domain/job/state.js';
import type { ToldProgress } from '../../projections/progress.js';
import type { Ledger } from '../ledger.js';
import { progressOf } from '../top/snapshot.js';
import { toJson } from '../cli/output.js';
import { jobView } from '../reading/job-view.js';
import { printable } from '../cli/text-table.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, negative, storeFailed, type Outcome } from './outcome.js';
import { ID, ID_WORDS, withJob } from './with-job.js';

const inLines = (view: ReturnType<typeof jobView>): string => {
  const shown = {
    ...view,
    ...(view.lastError === undefined ? {} : { lastError: errorLine(view.lastError) }),
  };
  const members = Object.entries(shown).filter(([, value]) => value !== null);
  const width = Math.max(...members.map(([name]) => name.length));
  return members
    .map(([name, value]) => {
      const text = typeof value === 'object' ? toJson(value) : String(value);
      return `${name.padEnd(width)}  ${printable(text)}\n`;
    })
    .join('');
};

/** Told by the handler that runs it now; a board that cannot be read leaves the rest of the answer as it is. */
const toldOf = async (
  { board }: Ledger,
  jobId: string,
  state: ExistingJob,
): Promise<ToldProgress | undefined> => {
  if (state._tag !== 'Running') return undefined;
  const runners = await board.runners()();
  return E.isLeft(runners)
    ? undefined
    : progressOf(runners.right, state.claim.runner.id, jobId, state.attempt.number);
};

const showJob = (context: CommandContext, id: string): Promise<Outcome> =>
  withJob(context, id, async (events, ledger) => {
    const state = foldJob(events);
    if (E.isLeft(state)) return storeFailed(state.left);
    if (state.right._tag === 'None') return negative(`there is no job ${id} in this ledger`);
    const jobId = jobIdOf(events[0]?.stream ?? '') ?? id;
    const view = jobView(jobId, state.right, await toldOf(ledger, jobId, state.right));
    await (context.json ? context.out.json(view) : context.out.write(inLines(view)));
    return done;
  });

export const job: CliCommand = {
  name: 'job',
  summary: 'show a job: what it is and where it stands',
  examples: ['jobledger job 4711', 'jobledger job 4711 --json'],
  register: (command, run) =>
    command.argument(ID, ID_WORDS).action((id: string) => run((context) => showJob(context, id))),
};
