/**
 * `job` (seed 000): MediaWiki's table, for every job that is waiting, claimed, running or abandoned. Imported rows show their own
 * bytes, hash, token and times.
 */
import { phpSerialize } from '../domain/job/php-array.js';
import { withPage, type Page } from '../domain/job/page.js';
import type { JobEnqueued, JobEventOf } from '../domain/job/events.js';
import type { JsonObject } from '../domain/json.js';
import { jobIdOfEvent, nothing, ownRow } from './address.js';
import { jobColumns } from './job-columns.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { insert, patch, put, remove, type Row, type TableChange } from './row-change.js';

export const jobTable: Table = { name: 'job', key: ['job_uuid'], isSum: false, columns: jobColumns };

/** MediaWiki's `job_random`: 31 bits, here of the job's id, so that a rebuild gives the same. */
const randomOf = (jobId: string): number => Number.parseInt(jobId.slice(-8), 16) & 0x7fffffff;

/** Params as MediaWiki would write them: the page, where there is one, is part of them. */
const phpParams = (params: JsonObject, page: Page): string => phpSerialize(withPage(params, page));

const ERASED = '(the params were erased)';
const NOT_TEXT = '(params hold bytes that a text cannot: see job_params_raw)';

const isStorable = (text: string): boolean => !text.includes('\u0000');

const DIGITS = new TextEncoder().encode('0123456789abcdef');

/** As `bytea` is read. 16 MiB of params took 1.6 GB and 11 s as an array of two-digit texts; so they take 0.2 s. */
const hexOf = (length: number, byteAt: (index: number) => number): string => {
  const hex = new Uint8Array(2 * length);
  for (let index = 0; index < length; index += 1) {
    const byte = byteAt(index);
    hex[2 * index] = DIGITS[byte >> 4] ?? 0;
    hex[2 * index + 1] = DIGITS[byte & 0xf] ?? 0;
  }
  return `\\x${new TextDecoder().decode(hex)}`;
};

const hexOfUtf8 = (text: string): string => {
  const bytes = new TextEncoder().encode(text);
  return hexOf(bytes.length, (index) => bytes[index] ?? 0);
};

const hexOfBase64 = (base64: string): string => {
  const bytes = atob(base64);
  return hexOf(bytes.length, (index) => bytes.charCodeAt(index));
};

const paramsColumns = ({ imported, params, ...page }: JobEnqueued): Row => {
  if (imported?.paramsBase64 !== undefined)
    return { job_params: NOT_TEXT, job_params_raw: hexOfBase64(imported.paramsBase64) };
  return textColumns(imported?.params ?? phpParams(params, page));
};

const textColumns = (text: string): Row =>
  isStorable(text)
    ? { job_params: text, job_params_raw: null }
    : { job_params: NOT_TEXT, job_params_raw: hexOfUtf8(text) };

const enqueuedRow = (at: ProjectedEvent, job: JobEnqueued): Row => {
  const { imported } = job;
  const jobId = jobIdOfEvent(at);
  return {
    job_uuid: jobId,
    job_id: job.number,
    job_cmd: job.type,
    job_namespace: job.namespace ?? 0,
    job_title: job.title ?? '',
    job_timestamp: imported === undefined ? job.enqueuedAt : (imported.timestamp ?? null),
    ...paramsColumns(job),
    job_random: imported?.random ?? randomOf(jobId),
    job_attempts: imported?.attempts ?? 0,
    job_token: imported?.token ?? '',
    job_token_timestamp: imported?.tokenTimestamp ?? null,
    job_sha1: job.dedup.sha1,
    job_wiki: job.wiki,
    job_revision: at.revision,
    job_class: job.class,
    job_priority: job.priority,
    job_release_timestamp: job.notBefore ?? null,
    job_lease_expires: null,
    job_state: 'Waiting',
    job_root_signature: job.root?.signature ?? null,
    job_request_id: job.requestId ?? null,
  };
};

const unclaimed = {
  job_token: '',
  job_token_timestamp: null,
  job_lease_expires: null,
  job_state: 'Waiting',
} as const;

const suppressedPatch = (
  at: ProjectedEvent,
  { inherited, placement, renewed }: JobEventOf<'DuplicateSuppressed'>['data'],
): Row => ({
  job_revision: at.revision,
  ...(inherited.priority === undefined
    ? {}
    : { job_class: placement.class, job_priority: placement.priority }),
  ...(inherited.notBefore === undefined ? {} : { job_release_timestamp: inherited.notBefore }),
  ...(renewed === undefined ? {} : textColumns(phpParams(renewed.params, renewed))),
});

const project = (at: ProjectedEvent): readonly TableChange[] => {
  const { event } = at;
  const own = (change: Parameters<typeof ownRow>[2]) => ownRow('job', at, change);
  const job_revision = at.revision;
  switch (event.type) {
    case 'JobEnqueued':
      return own(insert(enqueuedRow(at, event.data)));
    case 'DuplicateSuppressed':
      return own(patch(suppressedPatch(at, event.data)));
    case 'JobClaimed':
      return own(
        patch({
          job_attempts: event.data.claims,
          job_token: event.data.token,
          job_token_timestamp: event.data.claimedAt,
          job_lease_expires: event.data.leaseExpiresAt,
          job_state: 'Claimed',
          job_revision,
        }),
      );
    case 'AttemptStarted':
      return own(patch({ job_state: 'Running', job_revision }));
    case 'RetryScheduled':
      return own(patch({ ...unclaimed, job_release_timestamp: event.data.notBefore, job_revision }));
    case 'JobReleased':
      return own(
        patch({
          ...unclaimed,
          job_attempts: event.data.claims,
          job_release_timestamp: event.data.notBefore ?? null,
          job_revision,
        }),
      );
    case 'JobAbandoned':
      return own(patch({ job_state: 'Abandoned', job_revision }));
    case 'JobRequeued':
      return own(requeued(at, event.data));
    case 'AttemptSucceeded':
    case 'JobSuperseded':
    case 'JobCancelled':
      return own(remove);
    case 'JobErased':
      return own(
        event.data.ended ? patch({ job_params: ERASED, job_params_raw: null, job_revision }) : remove,
      );
    default:
      return nothing;
  }
};

/** Attempts count from 0 again. An abandoned job still has its row; a cancelled one gets it back. */
const requeued = (at: ProjectedEvent, { enqueued }: JobEventOf<'JobRequeued'>['data']) => {
  const fresh = { ...unclaimed, job_attempts: 0, job_release_timestamp: null, job_revision: at.revision };
  return enqueued === undefined ? patch(fresh) : put({ ...enqueuedRow(at, enqueued), ...fresh });
};

export const jobProjection: Projection = {
  name: 'job',
  version: 2,
  drive: 'catch-up',
  tables: [jobTable],
  handles: [
    'JobEnqueued',
    'DuplicateSuppressed',
    'JobClaimed',
    'AttemptStarted',
    'AttemptSucceeded',
    'RetryScheduled',
    'JobReleased',
    'JobAbandoned',
    'JobRequeued',
    'JobSuperseded',
    'JobCancelled',
    'JobErased',
  ],
  project,
};
