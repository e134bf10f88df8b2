/** The demo from the first step to the last: what was done, told step by step, and what came of it. */
import * as E from 'fp-ts/lib/Either.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import type { EnqueueOutcome } from '../producer/enqueueing.js';
import type { ImportResult } from '../import/import-jobs.js';
import type { ClaimFigures } from '../../adapters/postgres/reserving-desk.js';
import type { Ledger } from '../ledger.js';
import type { Output } from '../cli/output.js';
import { inWords } from '../reading/duration.js';
import type { WorkSummary } from '../worker/worker-options.js';
import type { Desk } from './desk.js';
import { addsUp, figuresOf, totalOf, type Figures } from './figures.js';
import {
  auditTables,
  DEMO_FILE,
  askTwice,
  importTable,
  projectAll,
  workAll,
  type Audited,
  type Projected,
} from './steps.js';

export interface DemoReport {
  readonly imported: ImportResult;
  readonly enqueued: readonly EnqueueOutcome[];
  readonly worked: WorkSummary & { readonly jobsPerSecond: number };
  readonly projected: Projected;
  readonly audited: Audited;
  readonly queues: readonly Figures[];
  readonly total: Figures;
  /** Claims that were tried, and of these lost to others; undefined where claims are held by locks. */
  readonly claims: ClaimFigures | undefined;
  readonly addsUp: boolean;
  readonly seconds: Readonly<Record<string, number>>;
}

export interface DemoPlace {
  readonly ledger: Ledger;
  readonly desk: Desk;
  readonly out: Output;
  /** Told a line behind every step. */
  readonly tell: (line: string) => Promise<unknown>;
}

const NAME_WIDTH = 9;

export const runDemo = async ({
  ledger,
  desk,
  out,
  tell,
}: DemoPlace): Promise<E.Either<StoreError, DemoReport>> => {
  const seconds: Record<string, number> = {};
  const step = async <L, A>(
    name: string,
    run: () => Promise<E.Either<L, A>>,
    told: (result: A, milliseconds: number) => string,
  ): Promise<E.Either<L, A>> => {
    const begun = performance.now();
    const result = await run();
    const milliseconds = performance.now() - begun;
    seconds[name] = Math.round(milliseconds) / 1_000;
    if (E.isRight(result)) {
      await tell(`${name.padEnd(NAME_WIDTH)}${told(result.right, milliseconds)} (${inWords(milliseconds)})`);
    }
    return result;
  };

  const imported = await step('import', () => importTable(ledger, out), toldImport);
  if (E.isLeft(imported)) return imported;
  const enqueued = await step('enqueue', () => enqueueTwice(ledger), toldEnqueue);
  if (E.isLeft(enqueued)) return enqueued;
  const worked = await step('work', () => workAll(ledger, desk, out), toldWork);
  if (E.isLeft(worked)) return worked;
  const projected = await step('project', () => projectAll(ledger, out), toldProject);
  if (E.isLeft(projected)) return projected;
  const audited = await step('audit', () => auditTables(ledger, out), toldAudit);
  if (E.isLeft(audited)) return audited;
  const views = await ledger.reading.queueViews()();
  if (E.isLeft(views)) return views;
  const queues = views.right.map(figuresOf);
  const total = totalOf(queues);
  return E.right({
    imported: imported.right,
    enqueued: enqueued.right,
    worked: { ...worked.right, jobsPerSecond: perSecond(worked.right, (seconds['work'] ?? 0) * 1_000) },
    projected: projected.right,
    audited: audited.right,
    queues,
    total,
    claims: ledger.claimFigures(),
    addsUp: [...queues, total].every(addsUp),
    seconds,
  });
};

const enqueueTwice = async (ledger: Ledger): Promise<E.Either<StoreError, readonly EnqueueOutcome[]>> => {
  const outcomes: EnqueueOutcome[] = [];
  for (const answer of await askTwice(ledger)) {
    if (E.isRight(answer)) outcomes.push(answer.right);
    else
      return E.left(
        answer.left._tag === 'InvalidSpecification' ? rejected(answer.left.message) : answer.left,
      );
  }
  return E.right(outcomes);
};

/** Jobs that came to their end, dropped ones included. */
const perSecond = ({ succeeded, superseded }: WorkSummary, milliseconds: number): number =>
  Math.round(((succeeded + superseded) * 1_000) / Math.max(1, milliseconds));

const toldImport = ({ imported, claimed, abandoned }: ImportResult): string =>
  `${imported} jobs of ${DEMO_FILE}, a real MediaWiki's table: ${claimed} claimed and ${abandoned} abandoned there`;

const toldEnqueue = (outcomes: readonly EnqueueOutcome[]): string =>
  `a recentChangesUpdate asked for twice: ${outcomes.map(({ outcome }) => outcome).join(', then ')}`;

const toldWork = (worked: WorkSummary, milliseconds: number): string =>
  `${worked.succeeded} jobs succeeded, ${worked.superseded} were covered by a newer job, ` +
  `${worked.failed} attempts failed: ${perSecond(worked, milliseconds)} jobs a second`;

const toldProject = ({ tables, behind }: Projected): string =>
  `${tables} tables brought up to date: ${behind} positions behind the history`;

const toldAudit = ({ tables, rows, unequal }: Audited): string =>
  unequal.length === 0
    ? `${tables} tables with ${rows} rows equal the history`
    : `NOT EQUAL to the history: ${unequal.join(', ')}`;
