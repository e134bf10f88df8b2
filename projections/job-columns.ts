/** Columns of the `job` table: MediaWiki's, in its PostgreSQL types, and our own behind them. */
import type { ColumnType } from './projection.js';

export const jobColumns = {
  job_uuid: 'uuid',
  job_id: 'bigint',
  job_cmd: 'text',
  job_namespace: 'integer',
  job_title: 'text',
  job_timestamp: 'timestamptz',
  job_params: 'text',
  job_params_raw: 'bytea',
  job_random: 'integer',
  job_attempts: 'integer',
  job_token: 'text',
  job_token_timestamp: 'timestamptz',
  job_sha1: 'text',
  job_wiki: 'text',
  job_revision: 'bigint',
  job_class: 'text',
  job_priority: 'integer',
  job_release_timestamp: 'timestamptz',
  job_lease_expires: 'timestamptz',
  job_state: 'text',
  job_root_signature: 'text',
  job_request_id: 'text',
} as const satisfies Readonly<Record<string, ColumnType>>;
