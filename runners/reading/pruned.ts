/** What is told of a job that is not in the ledger any more, because it was pruned. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import { decodeEvent } from '../../domain/events.js';
import { LEDGER_STREAM } from '../../domain/ledger.js';
import { prunedJob } from '../../projections/pruned-job.js';
import type { JobKey } from '../../projections/reading-desk.js';
import type { Ledger } from '../ledger.js';
import { timeInWords } from './sentence.js';

export interface Pruned {
  readonly jobId: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  /** Name of the archive, without its folder. */
  readonly file: string;
}

export type PrunedSite = Pick<Ledger, 'reading' | 'store' | 'catchUp' | 'driven'>;

/** Undefined: it was never here. */
export const prunedOf = async (
  { reading, store, catchUp, driven }: PrunedSite,
  key: JobKey,
): Promise<E.Either<StoreError, Pruned | undefined>> => {
  const table = driven(prunedJob);
  const current = table.drive === 'catch-up' ? await catchUp([table])() : E.right(undefined);
  if (E.isLeft(current)) return current;
  const entry = await reading.prunedEntry(key)();
  if (E.isLeft(entry)) return entry;
  if (entry.right === undefined) return E.right(undefined);
  const { jobId, entry: from } = entry.right;
  const told = await store.readStream(LEDGER_STREAM, { from, limit: 1 })();
  if (E.isLeft(told)) return told;
  const [recorded] = told.right;
  const event = recorded === undefined ? undefined : decodeEvent(recorded);
  if (
    recorded === undefined ||
    event === undefined ||
    E.isLeft(event) ||
    event.right.type !== 'HistoryPruned'
  )
    return E.right(undefined);
  return E.right({ jobId, at: recorded.metadata.occurredAt, file: event.right.data.file });
};

export const prunedInWords = (job: string, { at, file }: Omit<Pruned, 'jobId'>): string =>
  `job ${job} was pruned at ${timeInWords(at)}: its history is in the archive ${file}`;
