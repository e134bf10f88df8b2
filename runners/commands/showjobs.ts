/** `showjobs`: what MediaWiki's maintenance/showJobs.php prints, of the ledger. */
import * as E from 'fp-ts/lib/Either.js';
import { unknownName } from '../../domain/nearest.js';
import { jobProjection } from '../../projections/job-table.js';
import { queueSummary } from '../../projections/queue-summary.js';
import { toJson } from '../cli/output.js';
import { printable } from '../cli/text-table.js';
import type { Ledger } from '../ledger.js';
import { STATUSES, type QueueFilter, type Status } from '../../projections/reading-desk.js';
import { groupLine, hasAny, typeCounts, type TypeCounts } from '../showjobs/counts.js';
import { jobLine } from '../showjobs/job-line.js';
import { isStatus, listJobs } from '../showjobs/list.js';
import type { CliCommand, CommandContext } from './command.js';
import { typeName, wholeNumber, wikiName } from './option-values.js';
import { done, storeFailed, wrongUsage, type Outcome } from './outcome.js';
import { withTables } from './with-tables.js';

interface ShowFlags extends QueueFilter {
  readonly group?: true;
  readonly list?: true;
  readonly status?: string;
  readonly limit?: number;
}

const showTotal = async ({ out, json }: CommandContext, counts: readonly TypeCounts[]): Promise<Outcome> => {
  const queued = counts.reduce((sum, each) => sum + each.queued, 0);
  await (json ? out.json({ queued }) : out.line(String(queued)));
  return done;
};

const showGroups = async ({ out, json }: CommandContext, counts: readonly TypeCounts[]): Promise<Outcome> => {
  const shown = counts.filter(hasAny);
  await (json ? out.json(shown) : out.write(shown.map((each) => `${printable(groupLine(each))}\n`).join('')));
  return done;
};

const showList = async (
  { out, json }: CommandContext,
  ledger: Ledger,
  types: readonly string[],
  { status, wiki, limit }: ShowFlags,
): Promise<Outcome> => {
  const statuses = status === undefined ? STATUSES : STATUSES.filter((each) => each === status);
  let left = limit;
  let isRead = true;
  const lines = async (type: string, each: Status): Promise<E.Either<Outcome, number>> => {
    const shown = await listJobs(ledger, { type, status: each, wiki, limit: left }, async (jobs) => {
      const texts = jobs.map((job) =>
        json ? toJson({ ...job, status: each }) : `${jobLine(job)} status=${each}`,
      );
      isRead = await out.write(texts.map((text) => `${text}\n`).join(''));
      return isRead;
    })();
    return E.mapLeft(storeFailed)(shown);
  };
  for (const type of types) {
    for (const each of statuses) {
      if (left === 0 || !isRead) return done;
      const shown = await lines(type, each);
      if (E.isLeft(shown)) return shown.left;
      if (left !== undefined) left -= shown.right;
    }
  }
  return done;
};

const show = async (context: CommandContext, flags: ShowFlags): Promise<Outcome> => {
  const { group, list, status, limit } = flags;
  if (status !== undefined && !isStatus(status)) return wrongUsage(unknownName('status', status, STATUSES));
  if (group === true && list === true) return wrongUsage('--group and --list are two answers: ask for one');
  if (list !== true && (status !== undefined || limit !== undefined))
    return wrongUsage('--status and --limit are for --list');
  const tables = list === true ? [queueSummary, jobProjection] : [queueSummary];
  return withTables(context, tables, async (ledger) => {
    const counts = await typeCounts(ledger, flags)();
    if (E.isLeft(counts)) return storeFailed(counts.left);
    if (group === true) return showGroups(context, counts.right);
    const types = counts.right.filter(hasAny).map(({ type }) => type);
    return list === true ? showList(context, ledger, types, flags) : showTotal(context, counts.right);
  });
};

const MOST_LISTED = 1_000_000_000;

export const showjobs: CliCommand = {
  name: 'showjobs',
  summary: "show what MediaWiki's showJobs.php shows: how many jobs are queued, their groups, or a list",
  examples: [
    'jobledger showjobs --group',
    'jobledger showjobs --list --type refreshLinks --status abandoned --limit 20',
  ],
  register: (command, run) =>
    command
      .option('--group', 'a line per job type: queued, claimed (active, abandoned), delayed')
      .option('--list', 'a line per job')
      .option('--type <type>', 'only of this job type', typeName)
      .option('--wiki <id>', 'only of this wiki', wikiName)
      .option('--status <status>', `of the list only these: ${STATUSES.join(', ')}`)
      .option('--limit <number>', 'of the list at most so many', wholeNumber(1, MOST_LISTED))
      .action((flags: ShowFlags) => run((context) => show(context, flags))),
};
