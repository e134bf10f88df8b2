/** `enqueue`: one job by flags, or one per line of NDJSON. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { checkSpecification } from '../../domain/job/specification.js';
import {
  explainLineFailure,
  enqueueLines,
  type LineCounts,
  type LinesEnqueued,
} from '../enqueue/enqueue-lines.js';
import { explainFlagFlaw } from '../enqueue/flaw.js';
import { readJson } from '../enqueue/json-text.js';
import { missingFile } from '../cli/file-faults.js';
import type { EnqueueOutcome } from '../producer/enqueueing.js';
import { toJson } from '../cli/output.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, failedOutside, storeFailed, wrongUsage, type Outcome } from './outcome.js';

interface EnqueueFlags {
  readonly wiki?: string;
  readonly namespace?: string;
  readonly title?: string;
  readonly params?: string;
  readonly priority?: string;
  readonly notBefore?: string;
  readonly jobId?: string;
  readonly ignoreDuplicates?: true;
  readonly dedupKey?: string;
  readonly maxAttempts?: string;
  readonly ndjson?: string;
}

/** Numbers arrive as texts; what is none stays a text, and is refused with the others. */
const numberOr = (text: string | undefined): number | string | undefined =>
  text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : text;

const specificationOf = (
  type: string,
  { params, ndjson: _ndjson, ...flags }: EnqueueFlags,
): E.Either<string, unknown> => {
  const read = params === undefined ? E.right(undefined) : readJson(params, 'params');
  if (E.isLeft(read)) return E.left(explainFlagFlaw({ path: 'params', ...withPath(read.left) }));
  const specification = {
    ...flags,
    type,
    params: read.right,
    namespace: numberOr(flags.namespace),
    priority: numberOr(flags.priority),
    maxAttempts: numberOr(flags.maxAttempts),
  };
  const checked = checkSpecification(specification);
  return E.isLeft(checked) ? E.left(explainFlagFlaw(checked.left)) : E.right(specification);
};

const withPath = ({ path, message }: { readonly path: string; readonly message: string }) =>
  path === '' ? { message } : { path, message };

const explainOutcome = (answer: EnqueueOutcome): string =>
  answer.outcome === 'suppressed'
    ? `${answer.jobId} suppressed: an equal job waits already, this is its id`
    : `${answer.jobId} ${answer.outcome}`;

const enqueueOne = async (context: CommandContext, type: string, flags: EnqueueFlags): Promise<Outcome> => {
  const specification = specificationOf(type, flags);
  if (E.isLeft(specification)) return wrongUsage(specification.left);
  const { out, json, withLedger } = context;
  return withLedger('command line', async ({ producer }) => {
    const answer = await producer.enqueue(specification.right);
    if (E.isRight(answer)) {
      await (json ? out.json(answer.right) : out.line(explainOutcome(answer.right)));
      return done;
    }
    return answer.left._tag === 'InvalidSpecification'
      ? wrongUsage(explainFlagFlaw(answer.left))
      : storeFailed(answer.left);
  });
};

const STANDARD_INPUT = '-';

const enqueueFile = async (context: CommandContext, file: string): Promise<Outcome> => {
  const { out, cwd, withLedger } = context;
  const path = resolve(cwd, file);
  const flaw = file === STANDARD_INPUT ? undefined : await missingFile(path);
  if (flaw !== undefined) return wrongUsage(`${file}: ${flaw}`);
  return withLedger('command line', async ({ producer }) => {
    const begun = performance.now();
    const source: AsyncIterable<Buffer> =
      file === STANDARD_INPUT ? process.stdin : createReadStream(path, { highWaterMark: 256 * 1024 });
    const result = await enqueueLines(producer, source, {
      onAnswers: (answers) => out.write(answers.map((answer) => `${toJson(answer)}\n`).join('')),
      onBadLine: (line, why) => out.tell(`line ${line}: ${why}`),
      onProgress: (counts) => {
        if (performance.now() - begun > PROGRESS_AFTER_MS) out.progress(progressOf(counts, begun));
      },
    });
    return outcomeOf(result);
  });
};

const PROGRESS_AFTER_MS = 2_000;

const answered = ({ enqueued, suppressed, alreadyEnqueued }: LineCounts): number =>
  enqueued + suppressed + alreadyEnqueued;

const progressOf = (counts: LineCounts, begun: number): string => {
  const perSecond = Math.round((answered(counts) * 1_000) / (performance.now() - begun));
  return `${answered(counts)} jobs enqueued or answered, ${counts.bad} bad lines, ${perSecond} a second …`;
};

const outcomeOf = (result: LinesEnqueued): Outcome => {
  if (result.failure !== undefined) return failedOutside(explainLineFailure(result.failure));
  if (result.bad === 0) return done;
  const lines = result.bad === 1 ? '1 line was bad and is' : `${result.bad} lines were bad and are`;
  return wrongUsage(`${lines} named above; the other ${answered(result)} were accepted`);
};

const run = (
  type: string | undefined,
  flags: EnqueueFlags,
): ((context: CommandContext) => Promise<Outcome>) => {
  const { ndjson, ...others } = flags;
  return async (context) => {
    if (ndjson === undefined) {
      return type === undefined
        ? wrongUsage('say which TYPE of job, or give --ndjson a file or "-"; see "jobledger enqueue --help"')
        : enqueueOne(context, type, flags);
    }
    const [other] = Object.keys(others);
    if (type !== undefined || other !== undefined) {
      return wrongUsage(
        'with --ndjson every line says its own type and members: give no TYPE and no other option',
      );
    }
    return enqueueFile(context, ndjson);
  };
};

export const enqueue: CliCommand = {
  name: 'enqueue',
  summary: 'enqueue a job, or a file of jobs',
  examples: [
    `jobledger enqueue sendMail --params '{"to":"a@example.org"}'`,
    'jobledger enqueue refreshLinks --wiki enwiki --title Main_Page --ignore-duplicates',
    `echo '{"type":"sendMail","priority":"high"}' | jobledger enqueue --ndjson -`,
  ],
  register: (command, perform) =>
    command
      .argument('[type]', 'what kind of job')
      .option('--wiki <id>', 'the tenant (default: default)')
      .option('--namespace <number>', 'namespace of the page the job is about')
      .option('--title <title>', 'title of that page')
      .option('--params <json>', 'a JSON object for the handler')
      .option('--priority <class or number>', 'high, normal, low, or a number: smaller goes first')
      .option('--not-before <instant>', 'ISO 8601 with an offset, such as 2026-11-01T01:30:00Z')
      .option('--job-id <uuid>', 'an id of your own: enqueued again, the first one answers')
      .option('--ignore-duplicates', 'where an equal job waits already, that one answers')
      .option('--dedup-key <text>', 'what makes jobs equal, in place of the params')
      .option('--max-attempts <number>', 'abandoned after so many failures (default: 5)')
      .option(
        '--ndjson <file>',
        'one job per line, members named as these options in camelCase; - is standard input',
      )
      .action((type: string | undefined, flags: EnqueueFlags) => perform(run(type, flags))),
};
