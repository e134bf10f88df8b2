/** `retry`, `cancel`, `release`: what an operator does to jobs, with who and why. */
import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { ExistingJob } from '../../domain/job/state.js';
import { jobIdOf } from '../../domain/ledger.js';
import { sentenceOf } from '../library/error-sentences.js';
import type { Ledger } from '../ledger.js';
import {
  cancelJob,
  releaseJob,
  retryJob,
  type Operated,
  type OperationError,
  type OperationOptions,
  type OperationSite,
} from '../operations/operate.js';
import { retryAbandoned } from '../operations/retry-abandoned.js';
import type { CliCommand, CommandContext } from './command.js';
import { typeName, wholeNumber, wikiName } from './option-values.js';
import { operator } from './operator.js';
import { done, negative, storeFailed, wrongUsage, type Outcome } from './outcome.js';
import { ID, ID_WORDS, withJob } from './with-job.js';

const refused = (error: OperationError): Outcome =>
  error._tag === 'OperationRefused' || error._tag === 'JobNotFound'
    ? negative(sentenceOf(error))
    : storeFailed(error);

type Operation = (site: OperationSite, jobId: string, options: OperationOptions) => Operated;

const wordsOf = (jobId: string, state: ExistingJob): string =>
  `${jobId} is ${state._tag === 'Cancelled' ? 'cancelled' : 'ready again'}`;

const operateOn = (
  context: CommandContext,
  id: string,
  operation: Operation,
  { by = operator(), reason }: OperationOptions,
): Promise<Outcome> =>
  withJob(context, id, async (events, ledger: Ledger) => {
    const jobId = jobIdOf(events[0]?.stream ?? '') ?? id;
    const operated = await operation(ledger, jobId, { by, reason })();
    if (E.isLeft(operated)) return refused(operated.left);
    const state = operated.right;
    await (context.json
      ? context.out.json({ jobId, state: state._tag, revision: state.revision })
      : context.out.line(wordsOf(jobId, state)));
    return done;
  });

const withWhoAndWhy = (command: Command): Command =>
  command
    .option('--reason <text>', 'why, as the history tells')
    .option('--by <name>', 'who, as the history tells (default: the name you are logged in under)');

const operation = (name: string, summary: string, example: string, perform: Operation): CliCommand => ({
  name,
  summary,
  examples: [example],
  register: (command, run) =>
    withWhoAndWhy(command.argument(ID, ID_WORDS)).action((id: string, options: OperationOptions) =>
      run((context) => operateOn(context, id, perform, options)),
    ),
});

export const cancel = operation(
  'cancel',
  'end a job that waits or runs; a running handler is told by its signal',
  `jobledger cancel 4711 --reason 'the page is gone'`,
  cancelJob,
);

export const release = operation(
  'release',
  'give the claim on a job back, uncounted, so that another runner takes it',
  `jobledger release 4711 --reason 'its runner hangs'`,
  releaseJob,
);

interface RetryFlags extends OperationOptions {
  readonly wiki?: string;
  readonly type?: string;
  readonly limit?: number;
}

const retryMany = (context: CommandContext, { by = operator(), ...flags }: RetryFlags): Promise<Outcome> =>
  context.withLedger('operator', async (ledger) => {
    const answer = await retryAbandoned(ledger, { ...flags, by })();
    if (E.isLeft(answer)) return storeFailed(answer.left);
    const { retried, passedOver } = answer.right;
    const moved = passedOver === 0 ? '' : `; ${passedOver} were moved by somebody else meanwhile`;
    await (context.json
      ? context.out.json(answer.right)
      : context.out.line(
          `${retried} abandoned ${retried === 1 ? 'job is' : 'jobs are'} ready again${moved}`,
        ));
    return done;
  });

const retryThem = (id: string | undefined, flags: RetryFlags) => (context: CommandContext) => {
  const { wiki, type, limit, ...options } = flags;
  const isMany = wiki !== undefined || type !== undefined || limit !== undefined;
  if (id === undefined)
    return isMany
      ? retryMany(context, flags)
      : Promise.resolve(
          wrongUsage('say which job, or with --type and --wiki of which queue all abandoned jobs are meant'),
        );
  return isMany
    ? Promise.resolve(wrongUsage('--wiki, --type and --limit are for many jobs: give no ID with them'))
    : operateOn(context, id, retryJob, options);
};

const MOST_RETRIED = 100_000_000;

export const retry: CliCommand = {
  name: 'retry',
  summary: 'make a job ready that is abandoned, cancelled or put off, or all abandoned ones of a queue',
  examples: [
    `jobledger retry 4711 --reason 'the mail server is back'`,
    'jobledger retry --type sendMail --wiki enwiki --limit 100',
  ],
  register: (command, run) =>
    withWhoAndWhy(
      command
        .argument('[id]', ID_WORDS)
        .option('--wiki <id>', 'all abandoned jobs of this wiki', wikiName)
        .option('--type <type>', 'all abandoned jobs of this type', typeName)
        .option(
          '--limit <number>',
          'of these at most so many, lowest job_id first',
          wholeNumber(1, MOST_RETRIED),
        ),
    ).action((id: string | undefined, flags: RetryFlags) => run(retryThem(id, flags))),
};
