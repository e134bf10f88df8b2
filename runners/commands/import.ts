/** `import`: the rows of dumped MediaWiki `job` tables become jobs of the ledger. */
import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { explainDumpError } from '../../adapters/mediawiki/index.js';
import { wikiFlaw } from '../../domain/job/names.js';
import { importJobs, type ImportCounts, type ImportResult } from '../import/import-jobs.js';
import type { Ledger } from '../ledger.js';
import { missingFile } from '../cli/file-faults.js';
import type { CliCommand, CommandContext } from './command.js';
import { wholeNumber } from './option-values.js';
import { done, storeFailed, wrongUsage, type Outcome } from './outcome.js';

interface ImportFlags {
  readonly wiki: string;
  readonly claimTtl: number;
}

const CLAIM_TTL_SECONDS = 3_600;
const LONGEST_TTL_SECONDS = 10 * 366 * 86_400;
const PROGRESS_AFTER_MS = 2_000;

interface FileReport extends ImportResult {
  readonly file: string;
}

const jobs = (count: number): string => (count === 1 ? '1 job' : `${count} jobs`);

const explainCounts = ({ file, imported, alreadyThere, refused, claimed, abandoned }: FileReport): string => {
  const held = claimed > 0 ? `, ${claimed} of them claimed there` : '';
  const lost = abandoned > 0 ? `, ${abandoned} abandoned there` : '';
  const before = alreadyThere > 0 ? `; ${alreadyThere} were here already` : '';
  const bad = refused > 0 ? `; ${refused} refused` : '';
  return `${file}: ${jobs(imported)} imported${held}${lost}${before}${bad}`;
};

const importFile = async (
  { out, cwd }: CommandContext,
  ledger: Ledger,
  file: string,
  flags: ImportFlags,
): Promise<E.Either<Outcome, FileReport>> => {
  const begun = performance.now();
  const progress = ({ imported, alreadyThere }: ImportCounts): void => {
    if (performance.now() - begun > PROGRESS_AFTER_MS) {
      out.progress(`${file}: ${imported} jobs imported, ${alreadyThere} were here already …`);
    }
  };
  const result = await importJobs(ledger, {
    path: resolve(cwd, file),
    wiki: flags.wiki,
    claimTtlSeconds: flags.claimTtl,
    onFault: (error) => out.tell(explainDumpError({ ...error, path: file })),
    onProgress: progress,
  });
  return E.isLeft(result) ? E.left(storeFailed(result.left)) : E.right({ file, ...result.right });
};

const importFiles = async (
  context: CommandContext,
  files: readonly string[],
  flags: ImportFlags,
): Promise<Outcome> => {
  const { out, json, cwd, withLedger } = context;
  const flaw = wikiFlaw(flags.wiki);
  if (flaw !== undefined) return wrongUsage(`--wiki ${flaw}`);
  for (const file of files) {
    const missing = await missingFile(resolve(cwd, file));
    if (missing !== undefined) return wrongUsage(`${file}: ${missing}; nothing was imported`);
  }
  return withLedger('import', async (ledger) => {
    const reports: FileReport[] = [];
    for (const file of files) {
      const report = await importFile(context, ledger, file, flags);
      if (E.isLeft(report)) return report.left;
      reports.push(report.right);
      if (!json) await out.line(explainCounts(report.right));
    }
    if (json) await out.json({ files: reports });
    return outcomeOf(reports);
  });
};

const explainBroken = ({ file, imported, alreadyThere }: FileReport): string => {
  const kept = imported + alreadyThere;
  return kept === 0
    ? `nothing could be read of ${file}, as told above`
    : `${file} could not be read to its end, as told above: the ${jobs(kept)} read before that are kept, and importing the whole file adds only the rest`;
};

const outcomeOf = (reports: readonly FileReport[]): Outcome => {
  const broken = reports.filter(({ isWhole }) => !isWhole);
  const refused = reports.reduce((sum, report) => sum + report.refused, 0);
  if (broken.length > 0) return wrongUsage(broken.map(explainBroken).join('; '));
  return refused === 0
    ? done
    : wrongUsage(`${refused} of the rows cannot be taken, as told above; all others were imported`);
};

export const importCommand: CliCommand = {
  name: 'import',
  summary: 'import the job table of a MediaWiki from its dump',
  examples: ['jobledger import job.sql.gz --wiki enwiki', 'jobledger import job.csv --claim-ttl 7200'],
  register: (command, perform) =>
    command
      .argument(
        '<files...>',
        'dumps by mysqldump, pg_dump or SQLite, or CSV with a header; gzip is read as it is',
      )
      .option('--wiki <id>', 'the wiki they come from', 'default')
      .option(
        '--claim-ttl <seconds>',
        'for how long a claim holds there (jobTypeConf claimTTL)',
        wholeNumber(0, LONGEST_TTL_SECONDS),
        CLAIM_TTL_SECONDS,
      )
      .action((files: readonly string[], flags: ImportFlags) =>
        perform((context) => importFiles(context, files, flags)),
      ),
};
