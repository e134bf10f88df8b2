/** A job's events by what people have at hand: its UUID, or its number in the `job` table (`job_id`). */
import * as E from 'fp-ts/lib/Either.js';
import { attempt } from '../../adapters/postgres/error-mapping.js';
import { inSchema } from '../../adapters/postgres/schema-name.js';
import { succeeded } from '../../adapters/postgres/outcome.js';
import { rowsOf } from '../../adapters/postgres/statement.js';
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

// A job has one number for ever, so it does not matter how far the table is behind.
const IN_TABLE = `SELECT j.job_uuid::text FROM __schema__.job j WHERE j.job_id = $1`;
/** Jobs that are done have left the table; their first event keeps the number. */
const IN_HISTORY = `
SELECT substr(e.stream, 5)
FROM __schema__.event e
WHERE e.type = 'JobEnqueued' AND e.data->>'number' = $1
LIMIT 1`;

const isNumbered = (data: unknown, number: string): boolean =>
  typeof data === 'object' && data !== null && 'number' in data && data.number === number;

/** A history elsewhere has no index of numbers: it is read until the job is found. */
const findElsewhere = async (store: Ledger['store'], number: string): Promise<string | undefined> => {
  const end = await succeeded(store.end());
  for (let after = 0n; after < end;) {
    const stretch = { after, upTo: end, types: ['JobEnqueued'], streamPrefix: 'job-', limit: 5_000 };
    const page = await succeeded(store.readAll(stretch));
    const found = page.events.find(({ data }) => isNumbered(data, number));
    if (found !== undefined) return jobIdOf(found.stream);
    after = page.upTo;
  }
  return undefined;
};

const idOfNumber = ({ pool, schema, store, elsewhere }: Ledger, number: bigint) =>
  attempt(async () => {
    for (const text of [IN_TABLE, IN_HISTORY]) {
      const [row] = await rowsOf(pool, { text: inSchema(text, schema) }, [number.toString()]);
      if (row !== undefined) return row[0] ?? undefined;
    }
    return elsewhere === undefined ? undefined : findElsewhere(store, number.toString());
  });

/** No events: there is no such job. */
export const findJob = async (
  ledger: Ledger,
  key: JobKey,
): Promise<E.Either<StoreError, readonly RecordedEvent[]>> => {
  const id = 'jobId' in key ? E.right(key.jobId) : await idOfNumber(ledger, key.number)();
  if (E.isLeft(id)) return id;
  return id.right === undefined ? E.right([]) : ledger.store.readStream(jobStream(id.right))();
};
