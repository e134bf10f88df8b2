// Commands to a job with every member filled in, so that a test states only what it is about.
import type {
  CancelJob,
  ClaimJob,
  EnqueueJob,
  EraseJob,
  ExpireLease,
  FailAttempt,
  ImportJob,
  RefuseParams,
  ReleaseClaim,
  RequeueJob,
  StartAttempt,
  SucceedAttempt,
  SuppressDuplicate,
} from '../../domain/job/commands.js';
import type { JobEnqueued } from '../../domain/job/events.js';
import type { Imported, RetryPolicy, Root, Runner } from '../../domain/job/facts.js';
import { addMilliseconds } from '../../domain/instant.js';

const START_OF_STORY = '2026-03-01T04:00:00.000Z';

/** Instant this many seconds into the story. */
export const at = (seconds: number): string => addMilliseconds(START_OF_STORY, seconds * 1000);

export const runner: Runner = { id: 'runner-1', host: 'host-1', ip: '10.0.0.1', instance: 'host-1-4711' };
export const otherRunner: Runner = { id: 'runner-2', host: 'host-2', ip: '10.0.0.2', instance: 'host-2-815' };

/** Waits 10 s behind the first failure, 20 s behind the second, without jitter. */
export const retry: RetryPolicy = {
  maxAttempts: 3,
  backoff: { kind: 'exponential', firstMs: 10_000, capMs: 60_000, jitter: 0 },
};

export const rootAt = (timestamp: string, isSelf = true): Root => ({
  signature: 'family-a',
  timestamp,
  isSelf,
});

export const rootParams = ({ signature, timestamp, isSelf }: Root) => ({
  ...(isSelf ? { rootJobIsSelf: true } : {}),
  rootJobSignature: signature,
  rootJobTimestamp: timestamp,
});

export const jobFacts = (facts: Partial<JobEnqueued> = {}): JobEnqueued => ({
  wiki: 'enwiki',
  type: 'refreshLinks',
  number: '7',
  params: { pages: [1, 2] },
  dedup: { ignoreDuplicates: false, sha1: 'p42glrsl783wj55io7lxhmhxf0e5db5' },
  class: 'normal',
  priority: 0,
  retry,
  leaseSeconds: 30,
  shardingItem: 0,
  enqueuedAt: at(0),
  inCallersTransaction: false,
  ...facts,
});

export const deduplicated = { ignoreDuplicates: true, sha1: 'p42glrsl783wj55io7lxhmhxf0e5db5' } as const;

export const enqueue = (facts: Partial<JobEnqueued> = {}): EnqueueJob => ({
  _tag: 'EnqueueJob',
  job: jobFacts(facts),
});

export const imported: Imported = {
  jobId: '7',
  random: 12_345,
  attempts: 0,
  token: '',
  sha1: 'p42glrsl783wj55io7lxhmhxf0e5db5',
};

export const importRow = (
  row: Partial<Imported> = {},
  how: Partial<Omit<ImportJob, '_tag' | 'job'>> = {},
): ImportJob => ({
  _tag: 'ImportJob',
  job: jobFacts({ imported: { ...imported, ...row } }),
  isAbandoned: false,
  ...how,
});

type Given<C> = Partial<Omit<C, '_tag'>>;

export const suppress = (command: Given<SuppressDuplicate> = {}): SuppressDuplicate => ({
  _tag: 'SuppressDuplicate',
  now: at(1),
  producer: 'producer-2',
  params: { pages: [1, 2] },
  paramsDigest: 'digest-of-params',
  class: 'normal',
  priority: 0,
  ...command,
});

export const claim = (command: Given<ClaimJob> = {}): ClaimJob => ({
  _tag: 'ClaimJob',
  token: 'token-1',
  now: at(2),
  runner,
  leaseExpiresAt: addMilliseconds(command.now ?? at(2), 30_000),
  ignoreDuplicates: false,
  ...command,
});

/** The own id of the n-th attempt of a story. */
export const attemptId = (n: number): string => `a0000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const start = (command: Given<StartAttempt> = {}): StartAttempt => ({
  _tag: 'StartAttempt',
  token: 'token-1',
  now: at(3),
  attemptId: attemptId(1),
  misfireToleranceMs: 60_000,
  ...command,
});

export const succeed = (command: Given<SucceedAttempt> = {}): SucceedAttempt => ({
  _tag: 'SucceedAttempt',
  token: 'token-1',
  now: at(4),
  durationMs: 1_000,
  ...command,
});

export const fail = (command: Given<FailAttempt> = {}): FailAttempt => ({
  _tag: 'FailAttempt',
  token: 'token-1',
  now: at(4),
  durationMs: 1_000,
  error: { name: 'Error', message: 'no such page' },
  isRetryable: true,
  random: 0.5,
  ...command,
});

export const refuse = (command: Given<RefuseParams> = {}): RefuseParams => ({
  _tag: 'RefuseParams',
  token: 'token-1',
  error: { name: 'ParamsRefused', message: 'params.pages is missing' },
  ...command,
});

export const release = (command: Given<ReleaseClaim> = {}): ReleaseClaim => ({
  _tag: 'ReleaseClaim',
  token: 'token-1',
  now: at(4),
  why: 'the runner stops',
  ...command,
});

export const expire = (command: Given<ExpireLease> = {}): ExpireLease => ({
  _tag: 'ExpireLease',
  token: 'token-1',
  now: at(40),
  random: 0.5,
  ...command,
});

export const cancel = (reason = 'not wanted any more'): CancelJob => ({ _tag: 'CancelJob', reason });
export const requeue = (why = 'the page is back'): RequeueJob => ({ _tag: 'RequeueJob', why });
export const erase = (subject = 'user-1'): EraseJob => ({ _tag: 'EraseJob', subject });
