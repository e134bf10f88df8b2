/** Takes over the rows of a dumped MediaWiki `job` table: a stream each, once, however often the dump is read. */
import * as E from 'fp-ts/lib/Either.js';
import { dumpInvalid, readJobDump, type DumpError, type JobRow } from '../../adapters/mediawiki/index.js';
import { newId } from '../../adapters/system.js';
import { explainStoreError, rejected, type StoreError } from '../../domain/errors.js';
import { decide } from '../../domain/job/decide.js';
import { noJob } from '../../domain/job/state.js';
import { jobStream } from '../../domain/ledger.js';
import type { AppendOutcome, EventStore, StreamAppend } from '../../domain/ports.js';
import type { JobIndex } from '../../projections/ports.js';
import type { LedgerClock } from '../clock.js';
import { envelope } from '../streams/event-envelope.js';
import { importCommand, importDraft, type ImportDraft } from './import-draft.js';
import { appendPersistently, storeErrorOf } from '../streams/persistent-append.js';

export interface ImportPorts {
  readonly store: Pick<EventStore, 'append'>;
  readonly index: Pick<JobIndex, 'drawNumbers'>;
  readonly clock: Pick<LedgerClock, 'now'>;
}

export interface ImportOptions {
  readonly path: string;
  readonly wiki: string;
  readonly claimTtlSeconds: number;
  /** Told each row that is refused, and why reading ended early. */
  readonly onFault: (error: DumpError) => void;
  /** Told behind every batch. */
  readonly onProgress?: (counts: ImportCounts) => void;
}

export interface ImportCounts {
  readonly imported: number;
  readonly alreadyThere: number;
  readonly refused: number;
  /** Jobs imported with a claim that still stands, and as abandoned. */
  readonly claimed: number;
  readonly abandoned: number;
}

export interface ImportResult extends ImportCounts {
  /** True where the whole file was read. */
  readonly isWhole: boolean;
}

/** As many streams share one append, and as many bytes of params at most. */
const MOST_ROWS = 500;
const MOST_BYTES = 8 * 1024 * 1024;

type Counts = { -readonly [K in keyof ImportCounts]: ImportCounts[K] };

const READING_ENDS: ReadonlySet<DumpError['_tag']> = new Set([
  'DumpTruncated',
  'DumpNotRecognised',
  'DumpUnreadable',
]);

/** What was appended stays, whatever comes behind it; another run adds only the rest. */
export const importJobs = async (
  ports: ImportPorts,
  options: ImportOptions,
): Promise<E.Either<StoreError, ImportResult>> => {
  const counts: Counts = { imported: 0, alreadyThere: 0, refused: 0, claimed: 0, abandoned: 0 };
  let isWhole = true;
  const fault = (error: DumpError): void => {
    if (READING_ENDS.has(error._tag)) isWhole = false;
    else counts.refused += 1;
    options.onFault(error);
  };
  // While one batch is being written, the next is read.
  let underWay: Promise<StoreError | undefined> = Promise.resolve(undefined);
  for await (const batch of batches(drafts(ports, options, fault))) {
    const failure = await underWay;
    if (failure !== undefined) return E.left(failure);
    options.onProgress?.(counts);
    underWay = appendBatch(ports, options, batch, counts, fault);
  }
  const failure = await underWay;
  return failure === undefined ? E.right({ ...counts, isWhole }) : E.left(failure);
};

async function* drafts(
  { clock }: ImportPorts,
  { path, wiki, claimTtlSeconds }: ImportOptions,
  fault: (error: DumpError) => void,
): AsyncGenerator<ImportDraft> {
  for await (const row of readJobDump(path)) {
    const draft = E.isLeft(row) ? row : taken(path, row.right, { wiki, claimTtlSeconds, now: clock.now() });
    if (E.isRight(draft)) yield draft.right;
    else fault(draft.left);
  }
}

const taken = (path: string, row: JobRow, terms: Parameters<typeof importDraft>[1]) =>
  E.mapLeft((why: string): DumpError => dumpInvalid({ path, line: row.line }, why))(importDraft(row, terms));

async function* batches(all: AsyncIterable<ImportDraft>): AsyncGenerator<readonly ImportDraft[]> {
  let batch: ImportDraft[] = [];
  let bytes = 0;
  for await (const draft of all) {
    if (batch.length === MOST_ROWS || (batch.length > 0 && bytes + draft.bytes > MOST_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(draft);
    bytes += draft.bytes;
  }
  if (batch.length > 0) yield batch;
}

const appendBatch = async (
  ports: ImportPorts,
  { path }: ImportOptions,
  batch: readonly ImportDraft[],
  counts: Counts,
  fault: (error: DumpError) => void,
): Promise<StoreError | undefined> => {
  const rows = [...new Map(batch.map((draft) => [draft.jobId, draft])).values()];
  counts.alreadyThere += batch.length - rows.length;
  const numbers = await ports.index.drawNumbers(rows.length)();
  if (E.isLeft(numbers)) return numbers.left;
  const appends = rows.map((draft, n) => appendOf(draft, numbers.right[n] ?? 0n, ports.clock.now()));
  const outcomes = await appendPersistently(ports.store, appends);
  if (E.isLeft(outcomes)) return outcomes.left;
  for (const [n, draft] of rows.entries()) {
    const outcome = outcomes.right[n] ?? E.left(rejected('the append was not answered'));
    const failure = count(draft, outcome, counts, (why) =>
      fault(dumpInvalid({ path, line: draft.line }, why)),
    );
    if (failure !== undefined) return failure;
  }
  return undefined;
};

const appendOf = (draft: ImportDraft, number: bigint, now: string): StreamAppend => {
  const decision = decide(importCommand(draft, number), noJob);
  if (E.isLeft(decision)) throw new Error(`an import was refused as ${decision.left._tag}`);
  const origin = { commandId: newId(), by: 'import', occurredAt: now, correlationId: draft.job.requestId };
  return { stream: jobStream(draft.jobId), expected: 'no-stream', events: envelope(decision.right, origin) };
};

/** A conflict is a row that was imported before. */
const count = (
  draft: ImportDraft,
  outcome: AppendOutcome,
  counts: Counts,
  refuse: (why: string) => void,
): StoreError | undefined => {
  if (E.isRight(outcome)) {
    counts.imported += 1;
    if (draft.isAbandoned) counts.abandoned += 1;
    else if (draft.claim !== undefined) counts.claimed += 1;
    return undefined;
  }
  switch (outcome.left._tag) {
    case 'Conflict':
      counts.alreadyThere += 1;
      return undefined;
    case 'TooLarge':
    case 'Rejected':
      refuse(explainStoreError(outcome.left));
      return undefined;
    default:
      return storeErrorOf(outcome.left);
  }
};
