/** `prune`: finished jobs that are old enough go to an archive. */
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { addMilliseconds } from '../../domain/instant.js';
import { exists, isFolder, unwritableFolder } from '../cli/file-faults.js';
import type { Ledger } from '../ledger.js';
import type { OperationOptions } from '../operations/operate.js';
import { pruneHistory, type PruneReport } from '../pruning/prune-history.js';
import { inWords } from '../reading/duration.js';
import type { CliCommand, CommandContext } from './command.js';
import { instant } from './instant-option.js';
import { operator } from './operator.js';
import { typeName, wholeNumber, wikiName } from './option-values.js';
import { done, negative, storeFailed, wrongUsage, type Outcome } from './outcome.js';

interface PruneFlags extends OperationOptions {
  readonly olderThan?: number;
  readonly before?: string;
  readonly to?: string;
  readonly wiki?: string;
  readonly type?: string;
  readonly limit?: number;
  readonly dryRun?: true;
}

const SECOND = 1_000;
const UNITS: Readonly<Record<string, number>> = {
  s: SECOND,
  min: 60 * SECOND,
  h: 3_600 * SECOND,
  d: 86_400 * SECOND,
  w: 604_800 * SECOND,
};

/** Milliseconds. */
export const age = (value: string): number => {
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})(s|min|h|d|w)$/.exec(value) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? 0);
  if (milliseconds === 0 || milliseconds > Date.parse('9000-01-01T00:00:00Z'))
    throw new InvalidArgumentError('It is a whole number from 1 with a unit: 90s, 45min, 12h, 30d or 8w.');
  return milliseconds;
};

/** What is wrong with what was asked for, or undefined. */
const flawOf = async (flags: PruneFlags, path: string | undefined): Promise<string | undefined> => {
  const { olderThan, before, to, dryRun } = flags;
  if ((olderThan === undefined) === (before === undefined))
    return `say which jobs are old enough, either by --older-than 30d or by --before 2026-11-01T00:00:00Z${before === undefined ? '' : ', not by both'}`;
  if (dryRun === true) return undefined;
  if (path === undefined) return 'say by --to FILE where the jobs are to go, or --dry-run';
  if (await isFolder(path)) return `${to} is a folder: name a file in it`;
  if (await exists(path))
    return `${to} is there already: name a file that is not, each prune has one of its own`;
  const flaw = await unwritableFolder(path);
  return flaw === undefined ? undefined : `${to} cannot be written: ${flaw}`;
};

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const inOneLine = ({ jobs, events, bytes, longestMs }: PruneReport, to: string | undefined): string => {
  const what = `${counted(jobs, 'finished job')} (${counted(events, 'event')})`;
  if (to === undefined) return `${what} would be pruned`;
  if (jobs === 0) return 'no finished job is old enough: nothing was pruned, and no file was made';
  return `${what} pruned to ${to}, ${bytes} bytes; no batch took longer than ${inWords(longestMs)}`;
};

const tell = async (
  { out, json }: CommandContext,
  report: PruneReport,
  to: string | undefined,
): Promise<Outcome> => {
  const { hindrance, longestMs, ...counts } = report;
  const file = report.jobs === 0 ? null : (to ?? null);
  if (json) await out.json({ file, dryRun: to === undefined, ...counts, longestMs: Math.round(longestMs) });
  else if (hindrance === undefined || report.jobs > 0) await out.line(inOneLine(report, to));
  if (hindrance === undefined) return done;
  return negative(`${report.jobs === 0 ? 'nothing was pruned' : 'no more was pruned'}: ${hindrance}`);
};

const pruneIn = async (
  context: CommandContext,
  ledger: Ledger,
  flags: PruneFlags,
  path: string | undefined,
): Promise<Outcome> => {
  const { out } = context;
  const { olderThan = 0, by = operator(), reason, wiki, type, limit } = flags;
  const before = flags.before ?? addMilliseconds(ledger.clock.now(), -olderThan);
  const report = await pruneHistory(ledger, {
    before,
    wiki,
    type,
    limit,
    by,
    reason,
    path,
    log: out.tell,
    onProgress: ({ jobs, events }) =>
      out.progress(`${jobs} jobs with ${events} events ${path === undefined ? 'would be ' : ''}pruned …`),
  })();
  if (E.isLeft(report)) return storeFailed(report.left);
  return tell(context, report.right, path === undefined ? undefined : flags.to);
};

const pruneThem = async (context: CommandContext, flags: PruneFlags): Promise<Outcome> => {
  const path = flags.to === undefined || flags.dryRun === true ? undefined : resolve(context.cwd, flags.to);
  const flaw = await flawOf(flags, path);
  if (flaw !== undefined) return wrongUsage(flaw);
  return context.withLedger('operator', (ledger) => pruneIn(context, ledger, flags, path));
};

const MOST_PRUNED = 999_999_999;

export const prune: CliCommand = {
  name: 'prune',
  summary: 'take finished jobs that are old enough out of the ledger, into an archive',
  examples: [
    "jobledger prune --older-than 30d --to 2026-11.ndjson.gz --reason 'kept for 30 days'",
    'jobledger prune --older-than 12h --type htmlCacheUpdate --dry-run',
  ],
  register: (command, run) =>
    command
      .option('--older-than <age>', 'jobs that finished longer ago than this: 90s, 45min, 12h, 30d, 8w', age)
      .option('--before <time>', 'jobs that finished before this instant', instant)
      .option('--to <file>', 'a new file, as `export` writes them: NDJSON, compressed where it ends in .gz')
      .option('--wiki <wiki>', 'only jobs of this wiki', wikiName)
      .option('--type <type>', 'only jobs of this type', typeName)
      .option(
        '--limit <number>',
        'at most so many jobs, those that finished first',
        wholeNumber(1, MOST_PRUNED),
      )
      .option('--dry-run', 'tells how many there are, and changes nothing')
      .option('--reason <text>', 'why, as the history tells')
      .option('--by <name>', 'who, as the history tells (default: the name you are logged in under)')
      .action((flags: PruneFlags) => run((context) => pruneThem(context, flags))),
};
