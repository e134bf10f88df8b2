/** The steps of the demo. Every number they give comes from the ledger. */
import * as E from 'fp-ts/lib/Either.js';
import { explainDumpError } from '../../adapters/mediawiki/index.js';
import { packageFile } from '../../adapters/package-file.js';
import { auditAll } from '../../adapters/postgres/audit.js';
import type { StoreError } from '../../domain/errors.js';
import { projections } from '../../projections/index.js';
import type { EnqueueAnswer } from '../producer/enqueueing.js';
import { importJobs, type ImportResult } from '../import/import-jobs.js';
import type { Ledger } from '../ledger.js';
import type { Output } from '../cli/output.js';
import type { WorkSummary } from '../worker/worker-options.js';
import type { Desk } from './desk.js';
import { demoHandlers } from './handlers.js';
import { workOff } from './work-off.js';

export const DEMO_FILE = 'mediawiki-job.csv.gz';

/** MediaWiki's $wgJobTypeConf claimTTL. */
const CLAIM_TTL_SECONDS = 3_600;

const dataFile = (): string => packageFile(`demo/data/${DEMO_FILE}`);

type Step<A> = Promise<E.Either<StoreError, A>>;

export const importTable = (ledger: Ledger, out: Output): Step<ImportResult> =>
  importJobs(ledger, {
    path: dataFile(),
    wiki: 'default',
    claimTtlSeconds: CLAIM_TTL_SECONDS,
    onFault: (error) => out.tell(explainDumpError(error)),
    onProgress: ({ imported }) => out.progress(`importing: ${imported} jobs …`),
  });

/** What a MediaWiki asks for at every turn. The first is a job, the second is answered with it. */
export const askTwice = async ({ producer }: Ledger): Promise<readonly [EnqueueAnswer, EnqueueAnswer]> => {
  const specification = {
    type: 'recentChangesUpdate',
    namespace: -1,
    title: 'RecentChanges',
    params: { type: 'cacheUpdate' },
    ignoreDuplicates: true,
  };
  const first = await producer.enqueue(specification);
  return [first, await producer.enqueue(specification)];
};

export const workAll = (ledger: Ledger, desk: Desk, out: Output): Step<WorkSummary> => {
  let lines = 0;
  const note: Desk['note'] = (file, line) => {
    desk.note(file, line);
    lines += 1;
    if (lines % 100 === 0) out.progress(`working: ${lines} jobs done …`);
  };
  return workOff(ledger, demoHandlers(note), out.tell);
};

export interface Projected {
  readonly tables: number;
  /** Positions between the end of history and the table that is furthest behind. */
  readonly behind: bigint;
}

export const projectAll = async (ledger: Ledger, out: Output): Step<Projected> => {
  out.progress('bringing the tables up to date …');
  const kept = projections.filter(({ drive }) => drive === 'catch-up');
  const statuses = await ledger.catchUp(kept)();
  if (E.isLeft(statuses)) return statuses;
  const behind = statuses.right.reduce((most, status) => (status.behind > most ? status.behind : most), 0n);
  return E.right({ tables: kept.length, behind });
};

export interface Audited {
  readonly tables: number;
  readonly rows: number;
  /** Names of those that do not equal the history. */
  readonly unequal: readonly string[];
}

export const auditTables = async (
  { pool, schema, driven, historyOn }: Ledger,
  out: Output,
): Step<Audited> => {
  out.progress('comparing the tables with the history …');
  const audited = await auditAll(pool, schema, projections.map(driven), historyOn)();
  if (E.isLeft(audited)) return audited;
  const unequal: string[] = [];
  let rows = 0;
  for (const { name, report } of audited.right) {
    if (E.isLeft(report)) return report;
    rows += Number(report.right.rows);
    if (!report.right.equal) unequal.push(name);
  }
  return E.right({ tables: projections.length, rows, unequal });
};
