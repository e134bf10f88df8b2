/** `explain ID`: why a job is where it is, in sentences. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { Ledger } from '../ledger.js';
import { explainJob, type Explanation } from '../reading/explain.js';
import { timeInWords } from '../reading/sentence.js';
import type { Surroundings } from '../reading/surroundings.js';
import { printable } from '../cli/text-table.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, negative, storeFailed, type Outcome } from './outcome.js';
import { ID, ID_WORDS, withJob } from './with-job.js';

const inLines = ({ what, story, now, next }: Explanation): string => {
  const told = story.map(({ at, sentence }) => `  ${timeInWords(at)}  ${printable(sentence)}`);
  return [printable(what), '', ...told, '', printable(now), printable(next), ''].join('\n');
};

const around = async ({
  queueBook,
  board,
}: Pick<Ledger, 'queueBook' | 'board'>): Promise<E.Either<StoreError, Surroundings>> => {
  const decisions = await queueBook.decisions()();
  if (E.isLeft(decisions)) return decisions;
  const runners = await board.runners()();
  return E.isLeft(runners) ? runners : E.right({ ...decisions.right, runners: runners.right });
};

const explainIt = (context: CommandContext, id: string): Promise<Outcome> =>
  withJob(context, id, async (events, ledger) => {
    const surroundings = await around(ledger);
    if (E.isLeft(surroundings)) return storeFailed(surroundings.left);
    const explanation = explainJob(events, ledger.clock.now(), surroundings.right);
    if (E.isLeft(explanation)) return storeFailed(explanation.left);
    if (explanation.right === undefined) return negative(`there is no job ${id} in this ledger`);
    const { out, json } = context;
    await (json ? out.json(explanation.right) : out.write(inLines(explanation.right)));
    return done;
  });

export const explain: CliCommand = {
  name: 'explain',
  summary: 'say why a job is where it is, in sentences',
  examples: ['jobledger explain 4711'],
  register: (command, run) =>
    command.argument(ID, ID_WORDS).action((id: string) => run((context) => explainIt(context, id))),
};
