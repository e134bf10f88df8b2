/**
 * `JobEnqueued` as the stores keep it (stored-data.ts): without the time of the enqueue, which the metadata tell, and without what most
 * jobs have in common. What is common is fixed here for good: it is what a kept event means, whatever new jobs are given.
 */
import * as t from 'io-ts';
import type { JobEventOf } from '../domain/job/events.js';
import type { RetryPolicy } from '../domain/job/facts.js';

type Enqueued = JobEventOf<'JobEnqueued'>['data'];

const USUAL_CLASS = 'normal';
const USUAL_PRIORITY = 0;
const USUAL_LEASE_SECONDS = 30;
const USUAL_ITEM = 0;
const usualRetry: RetryPolicy = {
  maxAttempts: 5,
  backoff: { kind: 'exponential', firstMs: 1_000, capMs: 3_600_000, jitter: 0.2 },
};

const isUsualRetry = ({ maxAttempts, backoff }: RetryPolicy): boolean =>
  maxAttempts === usualRetry.maxAttempts &&
  backoff.kind === usualRetry.backoff.kind &&
  backoff.firstMs === usualRetry.backoff.firstMs &&
  backoff.capMs === usualRetry.backoff.capMs &&
  backoff.jitter === usualRetry.backoff.jitter;

/** Undefined where it is kept whole. Members one by one: rest and spread cost more than what they save. */
export const briefEnqueued = (data: Enqueued, occurredAt: string): object | undefined => {
  if (data.enqueuedAt !== occurredAt || data.imported !== undefined) return undefined;
  const { class: jobClass, priority, retry, leaseSeconds, shardingItem } = data;
  return {
    wiki: data.wiki,
    type: data.type,
    number: data.number,
    params: data.params,
    dedup: data.dedup,
    class: jobClass === USUAL_CLASS ? undefined : jobClass,
    priority: priority === USUAL_PRIORITY ? undefined : priority,
    retry: isUsualRetry(retry) ? undefined : retry,
    leaseSeconds: leaseSeconds === USUAL_LEASE_SECONDS ? undefined : leaseSeconds,
    shardingItem: shardingItem === USUAL_ITEM ? undefined : shardingItem,
    inCallersTransaction: data.inCallersTransaction ? true : undefined,
    namespace: data.namespace,
    title: data.title,
    root: data.root,
    hasOwnClass: data.hasOwnClass,
    notBefore: data.notBefore,
    ownRetry: data.ownRetry,
    schedule: data.schedule,
    requestId: data.requestId,
  };
};

/** With the members in the order in which producers write them. */
export const wholeEnqueued = (data: unknown, occurredAt: string): unknown => {
  if (!t.UnknownRecord.is(data)) return data;
  const { wiki, type, number, params, dedup } = data;
  return {
    wiki,
    type,
    number,
    params,
    dedup,
    class: USUAL_CLASS,
    priority: USUAL_PRIORITY,
    retry: usualRetry,
    leaseSeconds: USUAL_LEASE_SECONDS,
    shardingItem: USUAL_ITEM,
    enqueuedAt: occurredAt,
    inCallersTransaction: false,
    ...data,
  };
};
