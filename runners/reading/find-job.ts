/** A job's events by what people have at hand: its UUID, or its number in the `job` table (`job_id`). */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import { isUuid, jobIdOf, jobStream, type RecordedEvent } from '../../domain/ledger.js';
import type { Ledger } from '../ledger.js';

export type JobKey = { readonly jobId: string } | { readonly number: bigint };

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

const idOfNumber = async (
  { reading, store, elsewhere }: Ledger,
  number: bigint,
): Promise<E.Either<StoreError, string | undefined>> => {
  const known = await reading.jobNumbered(number)();
  return E.isLeft(known) || known.right !== undefined || elsewhere === undefined
    ? known
    : findElsewhere(store, number.toString());
};

/** No events: there is no such job. */
export const findJob = async (
  ledger: Ledger,
  key: JobKey,
): Promise<E.Either<StoreError, readonly RecordedEvent[]>> => {
  const id = 'jobId' in key ? E.right(key.jobId) : await idOfNumber(ledger, key.number);
  if (E.isLeft(id)) return id;
  return id.right === undefined ? E.right([]) : ledger.store.readStream(jobStream(id.right))();
};
