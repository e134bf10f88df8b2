/** A job's events by what people have at hand: its UUID, or its number in the `job` table (`job_id`). */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import { isUuid, jobIdOf, jobStream, type RecordedEvent } from '../../domain/ledger.js';
import type { JobKey } from '../../projections/reading-desk.js';
import type { Ledger } from '../ledger.js';
import { prunedOf, type Pruned } from './pruned.js';

const LARGEST_NUMBER = 2n ** 63n - 1n;

export const jobKey = (text: string): E.Either<string, JobKey> => {
  const lower = text.toLowerCase();
  if (isUuid(lower)) return E.right({ jobId: lower });
  if (/^\d{1,19}$/.test(text) && BigInt(text) <= LARGEST_NUMBER) return E.right({ number: BigInt(text) });
  return E.left(`"${text}" is neither the UUID of a job nor a job_id, which is a whole number`);
};

const isNumbered = (data: unknown, number: string): boolean =>
  typeof data === 'object' && data !== null && 'number' in data && data.number === number;

/** A history elsewhere has no index of numbers: it is read until the job is found. */
const findElsewhere = async (
  store: Ledger['store'],
  number: string,
): Promise<E.Either<StoreError, string | undefined>> => {
  const end = await store.end()();
  if (E.isLeft(end)) return end;
  for (let after = 0n; after < end.right;) {
    const stretch = { after, upTo: end.right, types: ['JobEnqueued'], streamPrefix: 'job-', limit: 5_000 };
    const page = await store.readAll(stretch)();
    if (E.isLeft(page)) return page;
    const found = page.right.events.find(({ data }) => isNumbered(data, number));
    if (found !== undefined) return E.right(jobIdOf(found.stream));
    after = page.right.upTo;
  }
  return E.right(undefined);
};

export interface FoundJob {
  /** None: there is no such job. */
  readonly events: readonly RecordedEvent[];
  /** Where it was here once. */
  readonly pruned: Pruned | undefined;
}

const NEVER_HERE: FoundJob = { events: [], pruned: undefined };

const eventsOf = ({ store }: Ledger, jobId: string): ReturnType<ReturnType<Ledger['store']['readStream']>> =>
  store.readStream(jobStream(jobId))();

/** Whether it was pruned is asked where it is not in the tables, and before a history elsewhere is searched for its number. */
const findNumbered = async (ledger: Ledger, number: bigint): Promise<E.Either<StoreError, FoundJob>> => {
  const known = await ledger.reading.jobNumbered(number)();
  if (E.isLeft(known)) return known;
  const pruned = known.right === undefined ? await prunedOf(ledger, { number }) : E.right(undefined);
  if (E.isLeft(pruned)) return pruned;
  if (pruned.right !== undefined) return E.right({ events: [], pruned: pruned.right });
  const id =
    known.right === undefined && ledger.elsewhere !== undefined
      ? await findElsewhere(ledger.store, number.toString())
      : known;
  if (E.isLeft(id)) return id;
  if (id.right === undefined) return E.right(NEVER_HERE);
  return E.map((events: readonly RecordedEvent[]) => ({ ...NEVER_HERE, events }))(
    await eventsOf(ledger, id.right),
  );
};

export const findJob = async (ledger: Ledger, key: JobKey): Promise<E.Either<StoreError, FoundJob>> => {
  if ('number' in key) return findNumbered(ledger, key.number);
  const events = await eventsOf(ledger, key.jobId);
  if (E.isLeft(events)) return events;
  if (events.right.length > 0) return E.right({ ...NEVER_HERE, events: events.right });
  return E.map((pruned: Pruned | undefined): FoundJob => ({ events: [], pruned }))(
    await prunedOf(ledger, key),
  );
};
