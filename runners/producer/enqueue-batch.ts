/** One trip of the producer: known ids first, then survivors, then what is really new (DESIGN.md §5, Deduplication). */
import * as E from 'fp-ts/lib/Either.js';
import { newId } from '../../adapters/system.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import type { JobEvent } from '../../domain/job/events.js';
import { jobStream } from '../../domain/ledger.js';
import type { AppendOutcome, StreamAppend } from '../../domain/ports.js';
import { envelope } from '../streams/event-envelope.js';
import { enqueuedEvent, raisedTo, type Draft } from './job-draft.js';
import { loadJobs } from '../streams/job-streams.js';
import { appendPersistently, storeErrorOf } from '../streams/persistent-append.js';
import type { Answers, EnqueueAnswer, EnqueueOutcome, Entry, ProducerPorts } from './enqueueing.js';
import { gathered, joinSurvivors, suppressedBy, type Group } from './suppression.js';

export const enqueueBatch = async (
  ports: ProducerPorts,
  drafts: readonly Draft[],
): Promise<readonly EnqueueAnswer[]> => {
  const answers: Answers = [];
  const firsts = new Map<string, Entry>();
  for (const [index, job] of drafts.entries()) {
    if (!firsts.has(job.id)) firsts.set(job.id, { index, job });
  }
  const failure = await enqueueEntries(ports, [...firsts.values()], answers);
  return drafts.map(({ id }, index) => {
    const first = firsts.get(id)?.index ?? index;
    const answer = answers[first] ?? E.left(failure ?? rejected('the enqueue was not answered'));
    return first === index ? answer : E.map(repeated)(answer);
  });
};

/** The answer to an id that stood in the batch before: nothing is said to be there that is not. */
export const repeated = (first: EnqueueOutcome): EnqueueOutcome =>
  first.outcome === 'enqueued' ? { ...first, outcome: 'already-enqueued' } : first;

/** Fills in the answers; an error is the answer of all that have none. */
const enqueueEntries = async (
  ports: ProducerPorts,
  entries: readonly Entry[],
  answers: Answers,
): Promise<StoreError | undefined> => {
  const unspent = await withoutSpentIds(ports, entries, answers);
  if (E.isLeft(unspent)) return unspent.left;
  const unknown = await withoutKnownIds(ports, unspent.right, answers);
  if (E.isLeft(unknown)) return unknown.left;
  const raised = await withRaisedRoots(ports, unknown.right);
  if (E.isLeft(raised)) return raised.left;
  const fresh = await joinSurvivors(ports, gathered(raised.right), answers);
  if (E.isLeft(fresh)) return fresh.left;
  return appendNew(ports, fresh.right, answers);
};

/** The job was here, and is in an archive. */
const withoutSpentIds = async (
  ports: ProducerPorts,
  entries: readonly Entry[],
  answers: Answers,
): Promise<E.Either<StoreError, readonly Entry[]>> => {
  const named = entries.filter(({ job }) => job.hasOwnId);
  if (named.length === 0) return E.right(entries);
  const spent = await ports.index.spentIds(named.map(({ job }) => job.id))();
  if (E.isLeft(spent)) return spent;
  const known = named.filter(({ job }) => spent.right.has(job.id));
  for (const { index, job } of known)
    answers[index] = E.right({ jobId: job.id, outcome: 'already-enqueued' });
  return E.right(entries.filter(({ index }) => answers[index] === undefined));
};

/** A producer's own id is looked up before anything else: a repeated call is answered with the first one's result. */
const withoutKnownIds = async (
  ports: ProducerPorts,
  entries: readonly Entry[],
  answers: Answers,
): Promise<E.Either<StoreError, readonly Entry[]>> => {
  const named = entries.filter(({ job }) => job.hasOwnId && job.ignoreDuplicates);
  if (named.length === 0) return E.right(entries);
  const ids = named.map(({ job }) => job.id);
  const states = await loadJobs(ports.store, ids);
  if (E.isLeft(states)) return states;
  const suppressed = await ports.index.suppressedIds(ids)();
  if (E.isLeft(suppressed)) return suppressed;
  named.forEach(({ index, job: { id } }, n) => {
    answers[index] = firstAnswer(id, states.right.has(id), suppressed.right[n]);
  });
  return E.right(entries.filter(({ index }) => answers[index] === undefined));
};

/** What the first call under this id was answered, if there was one. */
export const firstAnswer = (
  jobId: string,
  isKnown: boolean,
  survivor: string | undefined,
): EnqueueAnswer | undefined => {
  if (isKnown) return E.right({ jobId, outcome: 'already-enqueued' });
  return survivor === undefined ? undefined : E.right({ jobId: survivor, outcome: 'suppressed', survivor });
};

/** A root that says it is older than one of its family that has begun is raised to that one's timestamp. */
export const withRaisedRoots = async (
  ports: Pick<ProducerPorts, 'index'>,
  entries: readonly Entry[],
): Promise<E.Either<StoreError, readonly Entry[]>> => {
  const roots = entries.filter(({ job }) => job.root?.isSelf === true);
  if (roots.length === 0) return E.right(entries);
  const families = roots.map(({ job: { wiki, type, root } }) => ({
    wiki,
    type,
    signature: root?.signature ?? '',
  }));
  const found = await ports.index.newestBegun(families)();
  if (E.isLeft(found)) return found;
  const begun = new Map(roots.map(({ index }, n) => [index, found.right[n]]));
  return E.right(entries.map(({ index, job }) => ({ index, job: raisedTo(job, begun.get(index) ?? '') })));
};

const appendNew = async (
  ports: ProducerPorts,
  groups: readonly Group[],
  answers: Answers,
): Promise<StoreError | undefined> => {
  if (groups.length === 0) return undefined;
  const numbers = await ports.index.drawNumbers(groups.length)();
  if (E.isLeft(numbers)) return numbers.left;
  const appends = groups.map((group, n) => appendOf(ports, group, numbers.right[n] ?? 0n));
  const outcomes = await appendPersistently(ports.store, appends);
  if (E.isLeft(outcomes)) return outcomes.left;
  const again = groups.flatMap((group, n) => answerGroup(group, outcomes.right[n], answers));
  return again.length === 0 ? undefined : enqueueEntries(ports, again, answers);
};

/** The first of a group is enqueued; its equals of the same batch are suppressed by it in the same append. */
const appendOf = (ports: ProducerPorts, { first, followers }: Group, number: bigint): StreamAppend => {
  const { job } = first;
  const enqueued: JobEvent = { type: 'JobEnqueued', data: enqueuedEvent(job, number) };
  return {
    stream: jobStream(job.id),
    expected: 'no-stream',
    events: envelope([enqueued, ...suppressedBy(ports, enqueued, followers)], {
      commandId: newId(),
      by: ports.by,
      occurredAt: job.now,
      correlationId: job.requestId,
    }),
  };
};

/** Gives back those whose first was there before: that one may have ended long ago, and answers for nobody unasked. */
const answerGroup = (
  { first, followers }: Group,
  outcome: AppendOutcome | undefined,
  answers: Answers,
): readonly Entry[] => {
  const { id } = first.job;
  if (outcome?._tag === 'Left' && outcome.left._tag === 'Conflict') {
    answers[first.index] = E.right({ jobId: id, outcome: 'already-enqueued' });
    return followers;
  }
  if (outcome === undefined || E.isLeft(outcome)) {
    const error =
      outcome === undefined ? rejected('the append was not answered') : storeErrorOf(outcome.left);
    for (const { index } of [first, ...followers]) answers[index] = E.left(error);
    return [];
  }
  answers[first.index] = E.right({ jobId: id, outcome: 'enqueued' });
  for (const { index } of followers)
    answers[index] = E.right({ jobId: id, outcome: 'suppressed', survivor: id });
  return [];
};
