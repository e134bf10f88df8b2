/**
 * Enqueueing: checked specifications become `JobEnqueued` events, or are answered with the job that was there before. Concurrent calls
 * share their trips. Nothing is written for a batch's bad members, and nothing else of it is lost.
 */
import * as E from 'fp-ts/lib/Either.js';
import { coalesce } from '../streams/coalesce.js';
import { enqueueBatch } from './enqueue-batch.js';
import type { EnqueueAnswer, ProducerPorts } from './enqueueing.js';
import { checkedDraft, type Draft } from './job-draft.js';

export interface Producer {
  /** One job. Callers that come while a trip is under way share the next. */
  readonly enqueue: (specification: unknown) => Promise<EnqueueAnswer>;
  /** Many jobs: an answer each, in their order. */
  readonly enqueueAll: (specifications: readonly unknown[]) => Promise<readonly EnqueueAnswer[]>;
  readonly settled: () => Promise<void>;
}

const MOST_PER_TRIP = 1_000;

export const producer = (ports: ProducerPorts): Producer => {
  const write = (drafts: readonly Draft[]): Promise<readonly EnqueueAnswer[]> => enqueueBatch(ports, drafts);
  const trips = coalesce(write, MOST_PER_TRIP);

  const submit = (specification: unknown): Promise<EnqueueAnswer> => {
    const checked = checkedDraft(specification, ports.clock.now());
    return E.isLeft(checked) ? Promise.resolve(checked) : trips.submit(checked.right);
  };

  return {
    enqueue: submit,
    enqueueAll: (specifications) => Promise.all(specifications.map(submit)),
    settled: trips.settled,
  };
};
