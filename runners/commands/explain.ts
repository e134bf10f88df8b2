/** `explain ID`: why a job is where it is, in sentences. */
import * as E from 'fp-ts/lib/Either.js';
import { explainJob, type Explanation } from '../reading/explain.js';
import { timeInWords } from '../reading/sentence.js';
import { printable } from '../cli/text-table.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, negative, storeFailed, type Outcome } from './outcome.js';
import { ID, ID_WORDS, withJob } from './with-job.js';

const inLines = ({ what, story, now, next }: Explanation): string => {
  const told = story.map(({ at, sentence }) => `  ${timeInWords(at)}  ${printable(sentence)}`);
  return [printable(what), '', ...told, '', printable(now), printable(next), ''].join('\n');
};

const explainIt = (context: CommandContext, id: string): Promise<Outcome> =>
  withJob(context, id, async (events, { clock }) => {
    const explanation = explainJob(events, clock.now());
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
