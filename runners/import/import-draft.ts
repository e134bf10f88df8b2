/** A row of a MediaWiki `job` table as the command that takes it over, without its number. */
import * as E from 'fp-ts/lib/Either.js';
import { readJobParams, type JobRow } from '../../adapters/mediawiki/index.js';
import { idOfText, sha1Hex } from '../../adapters/system.js';
import { defined } from '../../domain/defined.js';
import { addMilliseconds } from '../../domain/instant.js';
import type { ImportJob } from '../../domain/job/commands.js';
import { jobSha1 } from '../../domain/job/dedup-info.js';
import type { JobEnqueued } from '../../domain/job/events.js';
import type { Imported } from '../../domain/job/facts.js';
import { titleFlaw, typeFlaw } from '../../domain/job/names.js';
import { retryPolicy } from '../../domain/job/retry.js';
import { rootOf } from '../../domain/job/root.js';
import type { JsonObject } from '../../domain/json.js';
import { isPlainText, withoutNul } from './binary-text.js';
import { exactInstant, instantOf, releaseTime } from './row-times.js';

/** MediaWiki's maxTries. */
export const MEDIAWIKI_MAX_ATTEMPTS = 3;

export interface ImportTerms {
  readonly wiki: string;
  /** For how long a claim held in the old table. */
  readonly claimTtlSeconds: number;
  readonly now: string;
}

export interface ImportDraft extends Omit<ImportJob, '_tag' | 'job'> {
  readonly jobId: string;
  readonly line: number;
  /** Size of the params, by which batches are kept within bounds. */
  readonly bytes: number;
  readonly job: Omit<JobEnqueued, 'number'>;
}

export const importCommand = ({ job, claim, isAbandoned }: ImportDraft, number: bigint): ImportJob =>
  defined({ _tag: 'ImportJob' as const, job: { ...job, number: number.toString() }, claim, isAbandoned });

/** The same row has the same id however often it is imported; a JSON array keeps its parts apart. */
const importedId = (wiki: string, row: JobRow): string =>
  idOfText(JSON.stringify([wiki, String(row.job_id), row.job_timestamp, row.job_random, row.job_sha1]));

/** The draft, or why the row cannot be taken. */
export const importDraft = (row: JobRow, terms: ImportTerms): E.Either<string, ImportDraft> => {
  const flaw = nameFlaw(row);
  if (flaw !== undefined) return E.left(flaw);
  const params = readJobParams(row.job_params);
  if (E.isLeft(params)) {
    return E.left(`job_params cannot be unserialised: ${params.left.message} (byte ${params.left.offset})`);
  }
  return E.right({
    jobId: importedId(terms.wiki, row),
    line: row.line,
    bytes: row.job_params.length,
    job: enqueued(row, params.right, terms),
    ...claimOf(row, terms),
  });
};

const nameFlaw = ({ job_cmd: type, job_title: title }: JobRow): string | undefined => {
  const ofType = typeFlaw(type);
  if (ofType !== undefined) return `job_cmd ${ofType}`;
  const ofTitle = titleFlaw(title);
  return ofTitle === undefined ? undefined : `job_title ${ofTitle}`;
};

const hashOf = jobSha1(sha1Hex);

/** MediaWiki's columns of a job that is about no page. */
const hasPage = ({ job_namespace: namespace, job_title: title }: JobRow): boolean =>
  namespace !== -1 || title !== '';

const enqueued = (row: JobRow, params: JsonObject, terms: ImportTerms): ImportDraft['job'] => {
  const { job_cmd: type, job_namespace: namespace, job_title: title } = row;
  const subject = { type, namespace, title, params };
  const { requestId } = params;
  return defined({
    ...subject,
    params: isPlainText(row.job_params) ? params : withoutNul(params),
    wiki: terms.wiki,
    dedup: {
      ignoreDuplicates: false,
      sha1: row.job_sha1 === '' ? hashOf(hasPage(row) ? subject : { type, params }) : row.job_sha1,
    },
    root: rootOf(params),
    class: 'normal' as const,
    priority: 0,
    retry: retryPolicy({ maxAttempts: attemptLimit(row) }),
    leaseSeconds: terms.claimTtlSeconds,
    shardingItem: 0,
    enqueuedAt: row.job_timestamp === null ? terms.now : instantOf(row.job_timestamp),
    notBefore: releaseTime(params),
    requestId: typeof requestId === 'string' && requestId !== '' ? requestId : undefined,
    inCallersTransaction: false,
    imported: importedFacts(row),
  });
};

const isClaimed = ({ job_token: token }: JobRow): boolean => token !== '';

/** An unclaimed row is run once more there, however often it was tried. */
const attemptLimit = (row: JobRow): number =>
  isClaimed(row) ? MEDIAWIKI_MAX_ATTEMPTS : Math.max(MEDIAWIKI_MAX_ATTEMPTS, row.job_attempts + 1);

const importedFacts = (row: JobRow): Imported => ({
  jobId: String(row.job_id),
  random: row.job_random,
  attempts: row.job_attempts,
  token: row.job_token,
  sha1: row.job_sha1,
  ...(row.job_timestamp === null ? {} : { timestamp: row.job_timestamp }),
  ...(row.job_token_timestamp === null ? {} : { tokenTimestamp: row.job_token_timestamp }),
  ...(isPlainText(row.job_params)
    ? { params: row.job_params.toString() }
    : { paramsBase64: row.job_params.toString('base64') }),
});

/** The claim keeps the row's own token, whatever its form: that is what its holder over there shows. */
const claimOf = (
  row: JobRow,
  { now, claimTtlSeconds }: ImportTerms,
): Pick<ImportJob, 'claim' | 'isAbandoned'> => {
  if (!isClaimed(row)) return { isAbandoned: false };
  const claimedAt = row.job_token_timestamp ?? now;
  return {
    claim: {
      token: row.job_token,
      claimedAt: exactInstant(claimedAt),
      leaseExpiresAt: addMilliseconds(claimedAt, claimTtlSeconds * 1_000),
    },
    isAbandoned: row.job_attempts >= MEDIAWIKI_MAX_ATTEMPTS,
  };
};
