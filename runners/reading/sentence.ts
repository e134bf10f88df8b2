/** One event of a job as a sentence for somebody who has never seen the program. */
import { errorLine } from '../../domain/job/error-facts.js';
import { IMPORTED_RUNNER } from '../../domain/job/decide-import.js';
import type { JobEventOf } from '../../domain/job/events.js';
import type { Runner } from '../../domain/job/facts.js';
import { isHeld } from '../../domain/job/state.js';
import { millisecondsBetween } from '../../domain/instant.js';
import { inWords } from './duration.js';
import type { Moment } from './moments.js';

type DataOf<T extends Moment['event']['type']> = JobEventOf<T>['data'];

/** `2026-03-01T04:00:00.000Z` → `2026-03-01 04:00:00.000 UTC`. */
export const timeInWords = (instant: string): string => instant.replace('T', ' ').replace(/Z$/, ' UTC');

export const runnerInWords = ({ id, host, instance }: Runner): string =>
  id === IMPORTED_RUNNER.id
    ? 'the program that held it in the old table'
    : `the runner ${instance} on ${host}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** A sentence ends in one full stop, whatever it quotes. */
const ended = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

const took = (durationMs: number): string => (durationMs < 1 ? 'less than 1 ms' : inWords(durationMs));

export const sentenceOf = (moment: Moment): string => ended(words(moment));

const words = (moment: Moment): string => {
  const { event, at } = moment;
  switch (event.type) {
    case 'JobEnqueued':
      return enqueued(moment, event.data);
    case 'DuplicateSuppressed':
      return suppressed(event.data);
    case 'JobClaimed':
      return claimed(moment, event.data);
    case 'AttemptStarted':
      return started(moment, event.data);
    case 'AttemptSucceeded':
      return succeeded(event.data);
    case 'AttemptFailed':
      return `Attempt ${event.data.attempt} failed after ${took(event.data.durationMs)}: ${errorLine(event.data.error)}`;
    case 'RetryScheduled':
      return retry(event.data, at);
    case 'JobReleased':
      return released(moment, event.data);
    case 'LeaseExpired':
      return leaseLost(event.data);
    default:
      return endInWords(moment);
  }
};

const endInWords = ({ event, by }: Moment): string => {
  switch (event.type) {
    case 'JobSuperseded':
      return superseded(event.data);
    case 'JobAbandoned':
      return abandoned(event.data);
    case 'JobCancelled':
      return `Cancelled by ${by}: ${event.data.reason}`;
    case 'JobRequeued':
      return `Made ready again by ${by}: ${ended(event.data.why)} Its attempts are counted from 1 again`;
    case 'JobErased':
      return `Its params were erased by ${by}, for ${event.data.subject}${event.data.ended ? '' : '; that ended the job'}`;
    default:
      return event.type;
  }
};

const place = ({ class: jobClass, priority }: DataOf<'JobEnqueued'>): string =>
  jobClass === 'normal' && priority === 0
    ? ''
    : `, with class ${jobClass}${priority === 0 ? '' : ` and priority ${priority}`}`;

const enqueued = ({ by, at }: Moment, job: DataOf<'JobEnqueued'>): string => {
  const { imported, notBefore, root, dedup } = job;
  const parts = [
    imported === undefined ? `Enqueued by ${by}${place(job)}` : importedInWords(imported),
    ...(notBefore === undefined || notBefore <= at
      ? []
      : [
          `It is not to run before ${timeInWords(notBefore)}, ${inWords(millisecondsBetween(at, notBefore))} later`,
        ]),
    ...(dedup.ignoreDuplicates ? ['Of equal jobs one run is enough'] : []),
    ...(root === undefined ? [] : [rootInWords(root)]),
  ];
  return parts.join('. ');
};

const rootInWords = ({ isSelf, signature, timestamp }: NonNullable<DataOf<'JobEnqueued'>['root']>): string =>
  `It is ${isSelf ? 'a root job' : 'a leaf'} of the family ${signature}, with the timestamp ${timestamp}: a newer root job of that family makes it needless`;

const importedInWords = ({
  jobId,
  timestamp,
  attempts,
}: NonNullable<DataOf<'JobEnqueued'>['imported']>): string => {
  const written = timestamp === undefined ? '' : `, written at ${timeInWords(timestamp)}`;
  const tried = attempts === 0 ? '' : ` and claimed ${attempts === 1 ? 'once' : `${attempts} times`}`;
  return `Imported from a MediaWiki job table, where it was row ${jobId}${written}${tried}`;
};

const suppressed = ({ producer, inherited }: DataOf<'DuplicateSuppressed'>): string => {
  const { rootTimestamp, class: jobClass, priority, notBefore } = inherited;
  const taken = [
    ...(rootTimestamp === undefined ? [] : [`the newer root timestamp ${rootTimestamp}`]),
    ...(jobClass === undefined ? [] : [`the class ${jobClass}`]),
    ...(priority === undefined ? [] : [`the priority ${priority}`]),
    ...(notBefore === undefined ? [] : [`the earlier due time ${timeInWords(notBefore)}`]),
  ];
  const kept = `An equal job, enqueued by ${producer}, was answered with this one and not stored (suppressed)`;
  return taken.length === 0 ? kept : `${kept}. This one took over ${taken.join(', ')}`;
};

const claimed = ({ since }: Moment, data: DataOf<'JobClaimed'>): string => {
  const { runner, dueAt, claimedAt, leaseExpiresAt, imported } = data;
  if (imported === true)
    return `Its claim in the old table is honoured here, until ${timeInWords(leaseExpiresAt)}`;
  const ready = dueAt ?? since ?? claimedAt;
  return `Claimed by ${runnerInWords(runner)}, ${inWords(millisecondsBetween(ready, claimedAt))} after it had become ready`;
};

const started = ({ after }: Moment, { attempt, executionSource }: DataOf<'AttemptStarted'>): string => {
  const began = `Attempt ${attempt} of at most ${after.job.retry.maxAttempts} began`;
  switch (executionSource) {
    case 'FAILOVER':
      return `${began}, in place of the runner that was lost (FAILOVER)`;
    case 'MISFIRE':
      return `${began}, later than it was due (MISFIRE)`;
    case 'NORMAL_TRIGGER':
      return began;
  }
};

const succeeded = ({ attempt, durationMs, spawned = [] }: DataOf<'AttemptSucceeded'>): string => {
  const children =
    spawned.length === 0
      ? ''
      : `, and spawned ${spawned.length} further job${spawned.length === 1 ? '' : 's'}`;
  return `Attempt ${attempt} succeeded after ${took(durationMs)}${children}`;
};

const retry = ({ why, notBefore }: DataOf<'RetryScheduled'>, at: string): string =>
  notBefore <= at
    ? `Made ready again at once: ${why}`
    : `To be tried again ${inWords(millisecondsBetween(at, notBefore))} later, at ${timeInWords(notBefore)}: ${why}`;

const released = ({ at, by, before }: Moment, { why, notBefore, attempt }: DataOf<'JobReleased'>): string => {
  if (notBefore !== undefined)
    return `Put off by its handler for ${inWords(millisecondsBetween(at, notBefore))}, until ${timeInWords(notBefore)} (${why}); the attempt does not count`;
  const isByRunner = isHeld(before) && before.claim.runner.id === by;
  const cut = attempt === undefined ? '' : '; the attempt that was cut short does not count';
  return `Given back by ${isByRunner ? 'its runner' : by} (${why})${cut}`;
};

const leaseLost = (data: DataOf<'LeaseExpired'>): string => {
  const { runner, leaseExpiresAt, lastRenewal, attempt } = data;
  const last = lastRenewal !== undefined && lastRenewal > leaseExpiresAt ? lastRenewal : leaseExpiresAt;
  const work =
    attempt === undefined
      ? 'It had not begun to work on it'
      : `How much of attempt ${attempt} it had done is not known`;
  return `${capital(runnerInWords(runner))} did not renew its claim, which ended at ${timeInWords(last)}: the lease is lost. ${work}`;
};

const superseded = ({ rule, by }: DataOf<'JobSuperseded'>): string => {
  switch (rule) {
    case 'executed-later':
      return `Dropped without a run (superseded, executed-later): the equal job ${by} began after this one had been enqueued, and succeeded, so that its work is done`;
    case 'newer-root':
      return `Dropped without a run (superseded, newer-root): the newer root job ${by} of its family does its work`;
  }
};

const abandoned = ({ reason, attempts, error, imported }: DataOf<'JobAbandoned'>): string => {
  const cause = error === undefined ? '' : `: ${errorLine(error)}`;
  const used = attempts === 1 ? 'its only attempt is' : `all its ${attempts} attempts are`;
  if (imported === true) return `Abandoned, as it was in the old table: ${used} used up`;
  switch (reason) {
    case 'attempts-exhausted':
      return `Abandoned: ${used} used up${cause}`;
    case 'not-retryable':
      return `Abandoned: a failure of this kind is not tried again${cause}`;
    case 'lease-lost':
      return `Abandoned: the lease was lost, and ${used} used up${cause}`;
  }
};
