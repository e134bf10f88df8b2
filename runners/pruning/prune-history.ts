/**
 * Retention: finished jobs that are old enough go to an archive, batch by batch. Each is on the disk there before it leaves the tables and
 * the history, in one transaction or in steps that the next prune completes; the history keeps an event that tells of it.
 */
import { basename } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { pruneStreams, type PruneTarget } from '../../adapters/postgres/pruning/batch.js';
import { newestRoots } from '../../adapters/postgres/pruning/newest-roots.js';
import { whilePruning } from '../../adapters/postgres/pruning/turn.js';
import type { StoreError } from '../../domain/errors.js';
import type { Position } from '../../domain/ledger.js';
import { projections } from '../../projections/index.js';
import { spawned } from '../follow-up.js';
import type { Ledger } from '../ledger.js';
import { NO_REASON, type OperationOptions } from '../operations/operate.js';
import { archiveAt, type Archive } from './archive-file.js';
import { finishedJobs, type Sought } from './finished-jobs.js';
import { completeLastPrune, type PruneStep } from './complete.js';
import { batchOf, type PruneBatch } from './told.js';

export interface PruneOptions extends Sought, OperationOptions {
  /** A new file; undefined: nothing is written and nothing pruned, only counted. */
  readonly path: string | undefined;
  readonly log: (line: string) => void;
  readonly onProgress?: (report: PruneReport) => void;
  readonly onStep?: (step: PruneStep) => void;
}

export interface PruneReport {
  readonly jobs: number;
  readonly events: number;
  /** Of the archive. */
  readonly bytes: number;
  readonly batches: number;
  /** The longest that a batch held the tables, in milliseconds. */
  readonly longestMs: number;
  /** Why it ended before its end; undefined where it did not. */
  readonly hindrance: string | undefined;
}

const targetOf = ({ pool, schema, driven, inline }: Ledger): PruneTarget => {
  const all = projections.map(driven);
  const kept = [...all.filter(({ drive }) => drive === 'catch-up'), spawned];
  return { db: pool, schema, projections: all, kept, inline };
};

/** Every table, and the duty to append children: nothing may go that somebody has still to read. To where that is certain. */
const bringForward = async (
  ledger: Ledger,
  target: PruneTarget,
  log: (line: string) => void,
): Promise<E.Either<StoreError, Position>> => {
  const end = await ledger.store.end()();
  if (E.isLeft(end)) return end;
  const claims = await ledger.reaperPorts(log).catchUpClaims();
  if (E.isLeft(claims)) return claims;
  const tables = target.projections.filter(({ drive }) => drive === 'catch-up');
  return E.map(() => end.right)(await ledger.catchUp(tables)());
};

interface Work {
  readonly ledger: Ledger;
  readonly target: PruneTarget;
  readonly archive: Archive;
  readonly options: PruneOptions;
  /** Everybody has read as far as this. */
  readonly upTo: Position;
}

/** How long it took, or why nothing was pruned. */
const pruneBatch = async (
  { ledger, target, archive, options: { log, onStep = () => undefined } }: Work,
  { events, lines, told }: PruneBatch,
): Promise<E.Either<StoreError, number | string>> => {
  const written = await archive.add(lines, events[0]);
  if (E.isLeft(written)) return written;
  onStep('archived');
  const begun = performance.now();
  const pruned = await pruneStreams(target, { events, told })();
  const took = performance.now() - begun;
  if (E.isLeft(pruned)) return pruned;
  if (pruned.right._tag === 'Hindered') {
    await archive.retract();
    return E.right(pruned.right.why);
  }
  onStep('taken');
  const completed = await completeLastPrune(ledger, { log, onStep });
  return E.isLeft(completed) ? completed : E.right(took);
};

const sum = (report: PruneReport, { events }: PruneBatch, jobs: number, took: number): PruneReport => ({
  ...report,
  jobs: report.jobs + jobs,
  events: report.events + events.length,
  batches: report.batches + 1,
  longestMs: Math.max(report.longestMs, took),
});

const NOTHING: PruneReport = { jobs: 0, events: 0, bytes: 0, batches: 0, longestMs: 0, hindrance: undefined };

const pruneAll = async (work: Work): Promise<E.Either<StoreError, PruneReport>> => {
  const { ledger, archive, options, upTo } = work;
  const { path, by = ledger.by, reason = NO_REASON, onProgress, onStep } = options;
  const staying = (jobIds: readonly string[]) => newestRoots(ledger.pool, ledger.schema, jobIds);
  let report = NOTHING;
  for await (const found of finishedJobs({ store: ledger.store, staying, upTo }, options)) {
    if (E.isLeft(found)) return found;
    const batch = batchOf(found.right, { by, reason, file: basename(path ?? ''), now: ledger.clock.now() });
    const took = path === undefined ? E.right(0) : await pruneBatch(work, batch);
    if (E.isLeft(took)) return took;
    if (typeof took.right === 'string') return E.right({ ...report, hindrance: took.right });
    report = { ...sum(report, batch, found.right.length, took.right), bytes: archive.bytes() };
    onProgress?.(report);
    if (path !== undefined) onStep?.('done');
  }
  return E.right(report);
};

const pruneAlone = async (
  ledger: Ledger,
  options: PruneOptions,
): Promise<E.Either<StoreError, PruneReport>> => {
  const target = targetOf(ledger);
  const isTried = options.path === undefined;
  const completed = isTried
    ? E.right(false)
    : await completeLastPrune(ledger, { log: options.log, isLeftOver: true });
  if (E.isLeft(completed)) return completed;
  const current = await bringForward(ledger, target, options.log);
  if (E.isLeft(current)) return current;
  const archive = archiveAt(options.path ?? '');
  try {
    return await pruneAll({ ledger, target, archive, options, upTo: current.right });
  } finally {
    await archive.close();
  }
};

export const pruneHistory =
  (ledger: Ledger, options: PruneOptions): TaskEither<StoreError, PruneReport> =>
  async () =>
    E.flatten(await whilePruning(ledger.pool, ledger.schema, () => pruneAlone(ledger, options))());
