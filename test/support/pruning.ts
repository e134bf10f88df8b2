// A ledger with jobs in every state, and what tests ask of it before and after a prune.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { projections } from '../../projections/index.js';
import type { Ledger } from '../../runners/ledger.js';
import type { PruneStep } from '../../runners/pruning/complete.js';
import { pruneHistory, type PruneOptions, type PruneReport } from '../../runners/pruning/prune-history.js';
import { rebuild } from '../../adapters/postgres/rebuild.js';
import { outcomesOf } from '../contract/appending.js';
import { act, enqueued, isIn } from './ledger.js';
import { right } from './outcome.js';
import { randomAppends } from './random-appends.js';
import { working } from './runners.js';
import { until } from './waiting.js';

/** Everything that has finished. */
export const EVERYTHING = '2999-01-01T00:00:00.000Z';

export const temporaryFolder = (): {
  readonly file: (name: string) => string;
  readonly remove: () => void;
} => {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-pruning-'));
  return { file: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true }) };
};

export const pruned = (
  ledger: Ledger,
  path: string,
  options: Partial<PruneOptions> = {},
): Promise<PruneReport> =>
  right(pruneHistory(ledger, { before: EVERYTHING, path, log: () => undefined, ...options }));

/** What each queue has counted. */
export const sumsOf = async (ledger: Ledger): Promise<readonly object[]> => {
  const kept = projections.map(ledger.driven).filter(({ drive }) => drive === 'catch-up');
  await right(ledger.catchUp(kept));
  return (await right(ledger.reading.queueViews())).map((view) => ({
    ...view,
    lagSeconds: undefined,
    oldestReadyAt: undefined,
  }));
};

/** Every table made anew from the history; those that were not right before. */
export const rebuilt = async (ledger: Ledger): Promise<readonly string[]> => {
  const { pool, schema, store, parks, historyOn } = ledger;
  await sumsOf(ledger);
  const wrong: string[] = [];
  for (const projection of projections.map(ledger.driven)) {
    const report = await right(rebuild(pool, schema, projection, { store, parks, historyOn }));
    if (report.halt !== undefined) wrong.push(`${report.name}: ${report.halt}`);
    else if (report.missing + report.extra + report.different > 0) wrong.push(report.name);
  }
  return wrong;
};

export interface DyingPrune {
  readonly databaseUrl: string;
  readonly eventstoreUrl?: string;
  readonly ledger?: string;
  readonly path: string;
  readonly limit: number;
  /** Behind which step it kills itself, or before the append of its event, or between two deletions; undefined: it does not. */
  readonly dies?: PruneStep | 'aimed' | 'half deleted';
}

const script = fileURLToPath(new URL('pruning-process.ts', import.meta.url));

export const pruningProcess = (options: DyingPrune) => {
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  return { child, ended, said: () => said };
};

export const linesOf = (path: string): readonly string[] => {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').trimEnd().split('\n');
};

export interface Filled {
  readonly succeeded: readonly string[];
  readonly cancelled: string;
  readonly abandoned: string;
  readonly waiting: string;
}

/** Jobs in every state, some of which came there by retries, suppressions and children. */
export const fill = async (ledger: Ledger, appends = 150): Promise<Filled> => {
  const random = randomAppends(11);
  for (let n = 0; n < appends; n += 1) await outcomesOf(ledger.store, random.next());
  const succeeded = await enqueued(
    ledger,
    { type: 'mail', params: { to: 'ü\u2028' } },
    { type: 'mail', wiki: 'dewiki' },
    { type: 'parent' },
    { type: 'flaky' },
  );
  const [abandoned = '', cancelled = '', waiting = ''] = await enqueued(
    ledger,
    { type: 'failing' },
    { type: 'unwanted' },
    { type: 'patient' },
  );
  const work = working(ledger, [
    { type: 'mail', run: () => undefined },
    { type: 'parent', run: (_, { spawn }) => spawn({ type: 'mail' }) },
    { type: 'flaky', retry: { backoff: { firstMs: 1 } }, run: ({ attempt }) => attempt > 1 },
    { type: 'failing', retry: false, run: () => false },
  ]);
  await until('all have ended', async () => {
    const isDone = await isIn(ledger, 'Succeeded', ...succeeded);
    return isDone && (await isIn(ledger, 'Abandoned', abandoned));
  });
  work.stop();
  await work.done;
  await act(ledger, cancelled, { _tag: 'CancelJob', reason: 'not wanted' });
  return { succeeded, cancelled, abandoned, waiting };
};
