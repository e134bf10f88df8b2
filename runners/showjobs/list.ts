/** The jobs of one type and status, in the order of their numbers, from the `job` table. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { readJobParams } from '../../adapters/mediawiki/index.js';
import { inSchema } from '../../adapters/postgres/schema-name.js';
import type { Cells } from '../../adapters/postgres/statement.js';
import type { StoreError } from '../../domain/errors.js';
import type { Ledger } from '../ledger.js';
import { streamRows } from '../reading/stream-rows.js';
import type { ListedJob } from './job-line.js';
import { pageNamespace } from './prefixed-title.js';

export const STATUSES = ['unclaimed', 'delayed', 'claimed', 'abandoned'] as const;
export type Status = (typeof STATUSES)[number];

export const isStatus = (text: string): text is Status => (STATUSES as readonly string[]).includes(text);

// Each begins with what the index by type and token can find. A job has one status: MediaWiki shows abandoned ones twice.
const CONDITIONS: Readonly<Record<Status, string>> = {
  unclaimed: `j.job_token = '' AND (j.job_release_timestamp IS NULL OR j.job_release_timestamp <= clock_timestamp())`,
  delayed: `j.job_token = '' AND j.job_release_timestamp > clock_timestamp()`,
  claimed: `j.job_token > '' AND j.job_state <> 'Abandoned'`,
  abandoned: `j.job_token > '' AND j.job_state = 'Abandoned'`,
};

const jobsOf = (status: Status): string => `
SELECT j.job_id::text, j.job_cmd, j.job_namespace::text, j.job_title,
  to_char(j.job_timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+00"'), j.job_params, encode(j.job_params_raw, 'hex')
FROM __schema__.job j
WHERE j.job_cmd = $1 AND ($2::text IS NULL OR j.job_wiki = $2) AND ${CONDITIONS[status]}
ORDER BY j.job_id
LIMIT $3`;

const listed = ([number, type, namespace, title, timestamp, text, raw]: Cells): ListedJob => {
  const bytes = raw === null || raw === undefined ? Buffer.from(text ?? '') : Buffer.from(raw, 'hex');
  const params = readJobParams(bytes);
  return {
    number: number ?? '',
    type: type ?? '',
    namespace: pageNamespace(Number(namespace), title ?? ''),
    title: title ?? '',
    timestamp: timestamp ?? '',
    params: E.isRight(params) ? params.right : undefined,
  };
};

/** Stops early where `onPage` answers false. Gives the number of jobs handed over. */
export const streamJobs = (
  { pool, schema }: Pick<Ledger, 'pool' | 'schema'>,
  which: {
    readonly type: string;
    readonly status: Status;
    readonly wiki?: string | undefined;
    readonly limit?: number | undefined;
  },
  onPage: (jobs: readonly ListedJob[]) => Promise<boolean>,
): TaskEither<StoreError, number> => {
  const values = [which.type, which.wiki ?? null, which.limit ?? null];
  return streamRows(pool, inSchema(jobsOf(which.status), schema), values, (rows) => onPage(rows.map(listed)));
};
