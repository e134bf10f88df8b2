/**
 * Enqueueing in a transaction of the caller's: the jobs are there when it commits, and only then. Nothing is suppressed, since no append
 * to a shared stream may wait in somebody's open transaction, and what is enqueued so is never superseded.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { EnqueueAtCommit, FirstEvent } from '../../adapters/postgres/enqueue-at-commit.js';
import { newId } from '../../adapters/system.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import { jobStream } from '../../domain/ledger.js';
import { envelope } from '../streams/event-envelope.js';
import { firstAnswer, repeated, withRaisedRoots } from './enqueue-batch.js';
import type { Answers, EnqueueAnswer, Entry, ProducerPorts } from './enqueueing.js';
import { checkedDraft, enqueuedEvent, type Draft } from './job-draft.js';

export interface TransactionalPorts extends Omit<ProducerPorts, 'store'> {
  readonly atCommit: EnqueueAtCommit;
}

/** An answer each, in order. `enqueued` means: when the transaction commits. */
export const enqueueInTransaction = async (
  ports: TransactionalPorts,
  specifications: readonly unknown[],
): Promise<readonly EnqueueAnswer[]> => {
  const drafts = specifications.map((each) => checkedDraft(each, ports.clock.now()));
  const answers: Answers = drafts.map((each) => (E.isLeft(each) ? each : undefined));
  const firsts = new Map<string, number>();
  const entries: Entry[] = [];
  for (const [index, job] of drafts.entries()) {
    if (E.isLeft(job)) continue;
    if (!firsts.has(job.right.id)) entries.push({ index, job: job.right });
    firsts.set(job.right.id, firsts.get(job.right.id) ?? index);
  }
  const failure = await enqueueNew(ports, entries, answers);
  return drafts.map((job, index) => {
    const first = E.isLeft(job) ? index : (firsts.get(job.right.id) ?? index);
    const answer = answers[first] ?? E.left(failure ?? rejected('the enqueue was not answered'));
    return first === index ? answer : E.map(repeated)(answer);
  });
};

/** Fills in the answers; an error is the answer of all that have none. */
const enqueueNew = async (
  ports: TransactionalPorts,
  entries: readonly Entry[],
  answers: Answers,
): Promise<StoreError | undefined> => {
  const fresh = await withoutKnown(ports, entries, answers);
  if (E.isLeft(fresh)) return fresh.left;
  const raised = await withRaisedRoots(ports, fresh.right);
  if (E.isLeft(raised)) return raised.left;
  const numbers = await ports.index.drawNumbers(raised.right.length)();
  if (E.isLeft(numbers)) return numbers.left;
  const added = await ports.atCommit.add(
    raised.right.flatMap(({ job }, n) => firstEvent(ports, job, numbers.right[n] ?? 0n)),
  )();
  if (E.isLeft(added)) return added.left;
  for (const { index, job } of raised.right) answers[index] = E.right({ jobId: job.id, outcome: 'enqueued' });
  return undefined;
};

const withoutKnown = async (
  ports: TransactionalPorts,
  entries: readonly Entry[],
  answers: Answers,
): Promise<E.Either<StoreError, readonly Entry[]>> => {
  const named = entries.filter(({ job }) => job.hasOwnId);
  const ids = named.map(({ job }) => job.id);
  const known = await ports.atCommit.known(ids.map(jobStream))();
  if (E.isLeft(known)) return known;
  const suppressed = await ports.index.suppressedIds(ids)();
  if (E.isLeft(suppressed)) return suppressed;
  named.forEach(({ index, job }, n) => {
    const survivor = job.ignoreDuplicates ? suppressed.right[n] : undefined;
    answers[index] = firstAnswer(job.id, known.right.has(jobStream(job.id)), survivor);
  });
  return E.right(entries.filter(({ index }) => answers[index] === undefined));
};

const firstEvent = ({ by }: TransactionalPorts, job: Draft, number: bigint): readonly FirstEvent[] => {
  const data = { ...enqueuedEvent(job, number), inCallersTransaction: true };
  const origin = { commandId: newId(), by, occurredAt: job.now, correlationId: job.requestId };
  const stream = jobStream(job.id);
  return envelope([{ type: 'JobEnqueued', data }], origin).map((event) => ({ stream, event }));
};
