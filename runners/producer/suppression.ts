/** Deduplication at enqueue: an equal, waiting, never claimed job answers for the new one and inherits what it brought. */
import * as E from 'fp-ts/lib/Either.js';
import { newId, sha1Hex } from '../../adapters/system.js';
import type { StoreError } from '../../domain/errors.js';
import type { SuppressDuplicate } from '../../domain/job/commands.js';
import { decide } from '../../domain/job/decide.js';
import type { JobEvent } from '../../domain/job/events.js';
import { advanceJob } from '../../domain/job/fold.js';
import { noJob, type JobState } from '../../domain/job/state.js';
import { jobStream } from '../../domain/ledger.js';
import type { StreamAppend } from '../../domain/ports.js';
import type { Answers, Entry, ProducerPorts } from './enqueueing.js';
import { envelope } from '../streams/event-envelope.js';
import type { Draft } from './job-draft.js';
import { loadJobs } from '../streams/job-streams.js';
import { appendPersistently } from '../streams/persistent-append.js';

/** Equal jobs of one batch: the first is kept, the others join it. */
export interface Group {
  readonly first: Entry;
  readonly followers: readonly Entry[];
}

/** After as many conflicts or vain tries the job is enqueued: a twin costs an execution, a wrong drop the work. */
const MOST_ROUNDS = 5;

/** Undefined where every enqueue is a job of its own. */
const groupKeyOf = ({ job: { wiki, type, sha1, ignoreDuplicates } }: Entry): string | undefined =>
  ignoreDuplicates ? JSON.stringify([wiki, type, sha1]) : undefined;

export const gathered = (entries: readonly Entry[]): readonly Group[] => {
  const groups: { first: Entry; followers: Entry[] }[] = [];
  const byKey = new Map<string, { first: Entry; followers: Entry[] }>();
  for (const entry of entries) {
    const key = groupKeyOf(entry);
    const known = key === undefined ? undefined : byKey.get(key);
    if (known !== undefined) {
      known.followers.push(entry);
      continue;
    }
    const group = { first: entry, followers: [] };
    groups.push(group);
    if (key !== undefined) byKey.set(key, group);
  }
  return groups;
};

const suppression = (by: string, job: Draft): SuppressDuplicate => ({
  _tag: 'SuppressDuplicate',
  now: job.now,
  producer: by,
  jobId: job.hasOwnId ? job.id : undefined,
  requestId: job.requestId,
  params: job.params,
  paramsDigest: sha1Hex(JSON.stringify(job.params)),
  root: job.root,
  class: job.class,
  hasOwnClass: job.hasOwnClass,
  priority: job.priority,
  notBefore: job.notBefore,
});

/** Events by which the followers join a state, or undefined where it is no survivor. */
const joined = (
  by: string,
  state: JobState,
  followers: readonly Entry[],
): readonly JobEvent[] | undefined => {
  const events: JobEvent[] = [];
  let current = state;
  for (const { job } of followers) {
    const decision = decide(suppression(by, job), current);
    if (E.isLeft(decision)) return undefined;
    events.push(...decision.right);
    current = advanceJob(current, decision.right);
  }
  return events;
};

export const suppressedBy = (
  { by }: ProducerPorts,
  enqueued: JobEvent,
  followers: readonly Entry[],
): readonly JobEvent[] =>
  followers.length === 0 ? [] : (joined(by, advanceJob(noJob, [enqueued]), followers) ?? []);

const membersOf = ({ first, followers }: Group): readonly Entry[] => [first, ...followers];

/** A group on its way: the survivors it has not tried yet. */
interface Search {
  readonly group: Group;
  survivors: readonly string[];
}

/** Groups that found no survivor; the others are answered. All of them try in the same trips, a bounded number of times. */
export const joinSurvivors = async (
  ports: ProducerPorts,
  groups: readonly Group[],
  answers: Answers,
): Promise<E.Either<StoreError, readonly Group[]>> => {
  const asking = groups.filter(({ first }) => first.job.ignoreDuplicates);
  if (asking.length === 0) return E.right(groups);
  const found = await ports.index.survivors(asking.map(({ first }) => first.job))();
  if (E.isLeft(found)) return found;
  const searches = asking.map((group, n): Search => ({ group, survivors: found.right[n] ?? [] }));
  const answered = new Set<Group>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const open = searches.filter(({ group, survivors }) => survivors.length > 0 && !answered.has(group));
    if (open.length === 0) break;
    const joinedNow = await joinRound(ports, open);
    if (E.isLeft(joinedNow)) return joinedNow;
    for (const { group, survivor } of joinedNow.right) {
      answered.add(group);
      for (const { index, job } of membersOf(group)) {
        answers[index] = E.right(
          job.id === survivor
            ? { jobId: survivor, outcome: 'already-enqueued' }
            : { jobId: survivor, outcome: 'suppressed', survivor },
        );
      }
    }
  }
  return E.right(groups.filter((group) => !answered.has(group)));
};

interface Joined {
  readonly group: Group;
  readonly survivor: string;
}

/** Every search tries its first survivor. One that is none any more is crossed off; after a conflict it is tried again. */
const joinRound = async (
  ports: ProducerPorts,
  searches: readonly Search[],
): Promise<E.Either<StoreError, readonly Joined[]>> => {
  const states = await loadJobs(
    ports.store,
    searches.map(({ survivors }) => survivors[0] ?? ''),
  );
  if (E.isLeft(states)) return states;
  const known: Joined[] = [];
  const tries: (Joined & { readonly append: StreamAppend })[] = [];
  for (const search of searches) {
    const [survivor = ''] = search.survivors;
    const state = states.right.get(survivor) ?? E.right(noJob);
    // Another call under the same id has enqueued it since: there is nothing to tell it of itself.
    const joining = membersOf(search.group).filter(({ job }) => job.id !== survivor);
    const append = E.isLeft(state) ? undefined : joinAppend(ports, survivor, state.right, joining);
    if (joining.length === 0) known.push({ group: search.group, survivor });
    else if (append === undefined) search.survivors = search.survivors.slice(1);
    else {
      tries.push({ group: search.group, survivor, append });
      // Should this one end in a conflict, any other is tried: those who have met on the first one part.
      search.survivors = turned(search.survivors, Math.floor(Math.random() * search.survivors.length));
    }
  }
  if (tries.length === 0) return E.right(known);
  const outcomes = await appendPersistently(
    ports.store,
    tries.map(({ append }) => append),
  );
  if (E.isLeft(outcomes)) return outcomes;
  return E.right([...known, ...tries.filter((_, n) => outcomes.right[n]?._tag === 'Right')]);
};

const turned = (survivors: readonly string[], by: number): readonly string[] => [
  ...survivors.slice(by),
  ...survivors.slice(0, by),
];

/** Undefined where the job is no survivor. */
const joinAppend = (
  ports: ProducerPorts,
  survivor: string,
  state: JobState,
  joining: readonly Entry[],
): StreamAppend | undefined => {
  const events = state._tag === 'None' ? undefined : joined(ports.by, state, joining);
  if (events === undefined || events.length === 0 || state._tag === 'None') return undefined;
  return {
    stream: jobStream(survivor),
    expected: state.revision,
    events: envelope(events, { commandId: newId(), by: ports.by, occurredAt: ports.clock.now() }),
  };
};
