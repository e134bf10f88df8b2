/** What is done with each batch of a restored file: written, found there, or refused; and what ends it all. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { explainStoreError, rejected, type StoreError } from '../../domain/errors.js';
import { DecimalString, jobIdOf, type Revision } from '../../domain/ledger.js';
import type { AppendOutcome, EventStore } from '../../domain/ports.js';
import type { NumberedJob, ReadingDesk } from '../../projections/reading-desk.js';
import { appendPersistently, persistently } from '../streams/persistent-append.js';
import type { FileEvent } from './ledger-file.js';
import { appendOf, type Batch, type Share } from './restore-batches.js';
import { otherHistory, type RestoreFailure } from './restore-failure.js';
import { prunedHere, unprunedAmong } from './restore-pruned.js';

export interface RestorePorts {
  readonly store: Pick<EventStore, 'append' | 'readAll' | 'readStream' | 'readStreams'>;
  /** Numbers of jobs up to this are not drawn again. */
  readonly raiseNumbers: (least: bigint) => TaskEither<StoreError, void>;
  readonly namesakes: ReadingDesk['namesakes'];
  readonly prunedAmong: ReadingDesk['prunedAmong'];
}

export interface RestoreOptions {
  /** Gzip is read as it is. */
  readonly path: string;
  readonly onBadLine: (line: number, why: string) => void;
  /** Told behind every batch. */
  readonly onProgress?: (counts: RestoreCounts) => void;
}

export interface RestoreCounts {
  /** Events that were written now. */
  readonly restored: number;
  readonly alreadyThere: number;
  /** Events of jobs that this ledger has pruned: left out, since what they counted is still counted. */
  readonly pruned: number;
  /** Events and lines that could not be taken. */
  readonly refused: number;
}

export interface RestoreResult extends RestoreCounts {
  /** Lines between the first and the last. */
  readonly lines: number;
  /** How many there are by the last line; undefined where the file ends before it. */
  readonly end: number | undefined;
}

export interface Restoring extends RestorePorts, RestoreOptions {
  readonly counts: { -readonly [K in keyof RestoreCounts]: RestoreCounts[K] };
  /** Streams that lack an event: nothing behind it can be written. */
  readonly broken: Set<string>;
  readonly prunedInFile: Map<string, Revision>;
  /** Lines between the first and the last. */
  lines: number;
  end: number | undefined;
  number: bigint;
}

export const refuse = ({ counts, onBadLine }: Restoring, line: number, events: number, why: string): void => {
  counts.refused += events;
  onBadLine(line, why);
};

const refuseShare = (restoring: Restoring, { stream, events }: Share, why: string): void => {
  restoring.broken.add(stream);
  refuse(restoring, events[0]?.line ?? 0, events.length, why);
};

export const writeBatch = async (restoring: Restoring, batch: Batch): Promise<RestoreFailure | undefined> => {
  const unbroken = [...batch.shares.values()].filter((share) => {
    const isBroken = restoring.broken.has(share.stream);
    if (isBroken) restoring.counts.refused += share.events.length;
    return !isBroken;
  });
  const unpruned = await unprunedAmong(
    restoring,
    unbroken.flatMap(({ events }) => events),
  );
  if (unpruned !== undefined) return unpruned;
  const pruned = await prunedHere(restoring, unbroken);
  if (E.isLeft(pruned)) return pruned.left;
  for (const { events } of pruned.right) restoring.counts.pruned += events.length;
  return writeShares(
    restoring,
    unbroken.filter((share) => !pruned.right.has(share)),
  );
};

const writeShares = async (
  restoring: Restoring,
  shares: readonly Share[],
): Promise<RestoreFailure | undefined> => {
  if (shares.length === 0) return undefined;
  const numbered = shares.flatMap(({ events }) => events.flatMap(numberedJob));
  const raised = await raiseNumbers(restoring, numbered);
  if (E.isLeft(raised)) return raised.left;
  const stranger = await strangerAmong(restoring, numbered);
  if (stranger !== undefined) return stranger;
  const outcomes = await appendPersistently(restoring.store, shares.map(appendOf));
  if (E.isLeft(outcomes)) return outcomes.left;
  for (const [n, share] of shares.entries()) {
    const outcome = outcomes.right[n] ?? E.left(rejected('the append was not answered'));
    const failure = await settle(restoring, share, outcome);
    if (failure !== undefined) return failure;
  }
  return undefined;
};

interface Numbered extends NumberedJob {
  readonly line: number;
}

const numberedJob = ({ line, stream, event: { type, data } }: FileEvent): readonly Numbered[] => {
  const jobId = jobIdOf(stream);
  if (type !== 'JobEnqueued' || jobId === undefined || !('number' in data)) return [];
  return DecimalString.is(data.number) ? [{ line, jobId, number: data.number }] : [];
};

/** Before the jobs are there: whoever enqueues meanwhile draws no number of theirs. */
const raiseNumbers = async (
  restoring: Restoring,
  jobs: readonly Numbered[],
): Promise<E.Either<StoreError, void>> => {
  const highest = jobs.map(({ number }) => BigInt(number)).reduce((a, b) => (a > b ? a : b), 0n);
  if (highest <= restoring.number) return E.right(undefined);
  restoring.number = highest;
  return persistently(restoring.raiseNumbers(highest))();
};

/** Behind the raising: a ledger that has drawn numbers since the last restore may have given them to jobs of its own. */
const strangerAmong = async (
  { namesakes }: Restoring,
  jobs: readonly Numbered[],
): Promise<RestoreFailure | undefined> => {
  const found = await persistently(namesakes(jobs))();
  if (E.isLeft(found)) return found.left;
  const [other] = found.right;
  if (other === undefined) return undefined;
  const { line, jobId, number } = jobs.find((job) => job.number === other.number) ?? { line: 0, ...other };
  return otherHistory(
    `line ${line}: the job_id ${number} of job ${jobId} is that of job ${other.jobId} in this ledger: the two histories have gone different ways`,
  );
};

const settle = async (
  restoring: Restoring,
  share: Share,
  outcome: AppendOutcome,
): Promise<RestoreFailure | undefined> => {
  const { counts } = restoring;
  if (E.isRight(outcome)) {
    if (outcome.right.alreadyThere) counts.alreadyThere += share.events.length;
    else counts.restored += share.events.length;
    return undefined;
  }
  switch (outcome.left._tag) {
    case 'Conflict':
      return settleConflict(restoring, share);
    case 'TooLarge':
    case 'Rejected':
      refuseShare(restoring, share, explainStoreError(outcome.left));
      return undefined;
    default:
      return outcome.left;
  }
};

/** Part of it is there, from a file that ended sooner; or others are; or what comes before it is not. */
const settleConflict = async (restoring: Restoring, share: Share): Promise<RestoreFailure | undefined> => {
  const { stream, first, events } = share;
  const there = await restoring.store.readStream(stream, { from: first, limit: events.length })();
  if (E.isLeft(there)) return there.left;
  const count = there.right.length;
  if (count === 0) {
    refuseShare(restoring, share, `revision ${first} of ${stream} has nothing before it to follow`);
    return undefined;
  }
  const other = events.find(({ event }, n) => n < count && event.id !== there.right[n]?.id);
  if (other !== undefined) {
    return otherHistory(
      `line ${other.line}: revision ${other.revision} of ${stream} is another event in this ledger: the two histories have gone different ways`,
    );
  }
  restoring.counts.alreadyThere += count;
  if (count === events.length) return undefined;
  const rest = { ...share, first: first + BigInt(count), events: events.slice(count) };
  const appended = await appendPersistently(restoring.store, [appendOf(rest)]);
  if (E.isLeft(appended)) return appended.left;
  return settle(restoring, rest, appended.right[0] ?? E.left(rejected('the append was not answered')));
};
