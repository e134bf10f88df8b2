// Random schedules of producers, runners and people on a few keys and families: what each does is drawn, and acts on the jobs it finds.
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { newId } from '../../adapters/system.js';
import { addMilliseconds, isoOf } from '../../domain/instant.js';
import type { JobCommand } from '../../domain/job/commands.js';
import { decide } from '../../domain/job/decide.js';
import { mediaWikiTimestamp } from '../../domain/job/root.js';
import type { JobState } from '../../domain/job/state.js';
import { jobStream } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import type { JobIndex } from '../../projections/ports.js';
import { defineJob } from '../../runners/define-job.js';
import { enqueueBatch } from '../../runners/producer/enqueue-batch.js';
import { draft } from '../../runners/producer/job-draft.js';
import { checkSpecification } from '../../domain/job/specification.js';
import { envelope } from '../../runners/streams/event-envelope.js';
import { loadJob, loadJobs } from '../../runners/streams/job-streams.js';
import { claimPicked } from '../../runners/worker/claiming.js';
import { keyCounter } from '../../runners/worker/key-counter.js';
import { runnerNamed } from './claims.js';
import { right } from './outcome.js';

type Store = Pick<EventStore, 'append' | 'readStreams'>;

/** An enqueue in a transaction of its caller's, which is open until it is told how to end. */
export interface OpenTransaction {
  readonly jobId: string;
  readonly end: (commit: boolean) => Promise<void>;
}

export interface World {
  /** Through these the actors act; a test may let others go first at every call. */
  readonly store: Store;
  readonly index: JobIndex;
  /** Through this they look about, in no time. */
  readonly glance: Store;
  readonly wiki: string;
  /** Milliseconds; goes on with every call. */
  readonly now: () => number;
  readonly enqueueInTransaction: (specification: object) => Promise<OpenTransaction>;
}

const SECOND = 1_000;
/** Clocks of producers, 90 s apart. */
const SKEWS = [0, 45 * SECOND, -45 * SECOND];
const MOST_ATTEMPTS = 2;
const MOST_OPEN = 3;
const OWN_IDS = [1, 2, 3].map((n) => `0198c7a2-7d3e-7c1a-9f4e-0000000000${n}0`);

type Kind = 'plain' | 'root' | 'leaf';
interface Wanted {
  readonly kind: Kind;
  readonly key: number;
  readonly ignoreDuplicates: boolean;
  readonly ownId: number | undefined;
  readonly delay: number | undefined;
  /** Seconds by which a root or leaf is dated back. */
  readonly age: number;
}

export type Action =
  | { readonly do: 'enqueue'; readonly producer: number; readonly jobs: readonly Wanted[] }
  | { readonly do: 'begin'; readonly job: Wanted }
  | { readonly do: 'end'; readonly which: number; readonly commit: boolean }
  | { readonly do: 'claim'; readonly which: number; readonly isStarted: boolean }
  | { readonly do: Report; readonly which: number }
  | { readonly do: 'cancel' | 'requeue'; readonly which: number };
type Report = 'start' | 'succeed' | 'fail' | 'release' | 'expire';

const which = fc.nat(20);
const wanted: fc.Arbitrary<Wanted> = fc.record({
  kind: fc.constantFrom('plain', 'plain', 'root', 'root', 'leaf'),
  key: fc.constantFrom(1, 1, 2),
  ignoreDuplicates: fc.constantFrom(true, true, false),
  ownId: fc.option(fc.nat(2), { nil: undefined, freq: 6 }),
  delay: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined, freq: 4 }),
  age: fc.constantFrom(0, 0, 0, 5, 40),
});

const reports: readonly Report[] = [
  'start',
  'start',
  'succeed',
  'succeed',
  'succeed',
  'fail',
  'release',
  'expire',
];

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('enqueue' as const),
      producer: fc.nat(2),
      jobs: fc.array(wanted, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('begin' as const), job: wanted }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), which, commit: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('claim' as const), which, isStarted: fc.boolean() }),
  },
  { weight: 10, arbitrary: fc.record({ do: fc.constantFrom(...reports), which }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'requeue' as const), which }),
  },
);

/** What several actors do at the same time, each one thing after the other. */
export const schedules = (actors: number, most: number): fc.Arbitrary<readonly (readonly Action[])[]> =>
  fc.array(fc.array(action, { minLength: 1, maxLength: most }), { minLength: 1, maxLength: actors });

/** Plays actions; at the end `finish` works off what is left. */
export interface Play {
  readonly act: (action: Action) => Promise<void>;
  readonly finish: () => Promise<void>;
}

export const playOn = (world: World, handlerIgnoresDuplicates: boolean): Play => {
  const ids = new Set<string>();
  const open: OpenTransaction[] = [];
  const handler = defineJob({
    type: '*',
    ignoreDuplicates: handlerIgnoresDuplicates,
    retry: { maxAttempts: MOST_ATTEMPTS, backoff: { kind: 'fixed', firstMs: 3 * SECOND, jitter: 0 } },
    run: () => undefined,
  });
  const now = (): string => isoOf(world.now());

  const specificationOf = (
    { kind, key, ignoreDuplicates, ownId, delay, age }: Wanted,
    at: string,
  ): object => ({
    type: 'work',
    wiki: world.wiki,
    ignoreDuplicates,
    params: {
      key,
      ...(kind === 'root' ? { rootJobIsSelf: true } : {}),
      ...(kind === 'plain'
        ? {}
        : {
            rootJobSignature: `family-${key}`,
            rootJobTimestamp: mediaWikiTimestamp(addMilliseconds(at, -age * SECOND)),
          }),
    },
    ...(ownId === undefined ? {} : { jobId: ownIdOf(ownId) }),
    ...(delay === undefined ? {} : { notBefore: addMilliseconds(at, delay * SECOND) }),
  });
  /** The same few ids again and again, but not in another world. */
  const ownIdOf = (n: number): string => `${OWN_IDS[n]?.slice(0, 24)}${world.wiki.padStart(10, '0')}0${n}`;

  const enqueue = async (specifications: readonly object[], skew: number): Promise<void> => {
    const clock = { now: () => isoOf(world.now() + skew), offset: () => 0, measure: async () => E.right(0) };
    const drafts = specifications.map((each) => {
      const checked = checkSpecification(each);
      if (E.isLeft(checked)) throw new Error(`${checked.left.path} ${checked.left.message}`);
      return draft(checked.right, clock.now());
    });
    const ports = { store: world.store, index: world.index, clock, by: 'producer' };
    for (const answer of await enqueueBatch(ports, drafts)) {
      if (E.isLeft(answer)) throw new Error(JSON.stringify(answer.left));
      ids.add(answer.right.jobId);
    }
  };

  const jobsIn = async (...tags: readonly JobState['_tag'][]): Promise<readonly string[]> => {
    const all = [...ids, ...open.map(({ jobId }) => jobId)];
    const states = await loadJobs(world.glance, all);
    if (E.isLeft(states)) throw new Error(JSON.stringify(states.left));
    return all.filter((id) => {
      const state = states.right.get(id);
      return state !== undefined && E.isRight(state) && tags.includes(state.right._tag);
    });
  };

  const append = async (jobId: string, commandOf: (state: JobState) => JobCommand | undefined) => {
    const state = await right(() => loadJob(world.store, jobId));
    const command = commandOf(state);
    const decision = command === undefined ? undefined : decide(command, state);
    if (decision === undefined || E.isLeft(decision) || state._tag === 'None') return false;
    const events = envelope(decision.right, { commandId: newId(), by: 'hand', occurredAt: now() });
    const [outcome] = await right(
      world.store.append([{ stream: jobStream(jobId), expected: state.revision, events }]),
    );
    return outcome !== undefined && E.isRight(outcome);
  };

  const claim = async (jobId: string, isStarted: boolean): Promise<void> => {
    const session = {
      picked: [{ jobId, revision: 0n }],
      now: now(),
      store: world.store,
      index: world.index,
      dropStale: () => async () => E.right(undefined),
    };
    const options = {
      runner: runnerNamed(newId()),
      leaseMs: 30 * SECOND,
      rank: 0,
      startable: isStarted ? 1 : 0,
      misfireToleranceMs: 60 * SECOND,
      most: 1,
      handlerOf: () => handler,
      keys: keyCounter(),
      lost: new AbortController().signal,
      log: () => undefined,
    };
    const batch = await claimPicked(session, options, []);
    if (E.isLeft(batch)) throw new Error(JSON.stringify(batch.left));
  };

  const commandOf =
    (report: Report) =>
    (state: JobState): JobCommand | undefined => {
      if (state._tag !== 'Claimed' && state._tag !== 'Running') return undefined;
      const held = { token: state.claim.token, now: now() };
      switch (report) {
        case 'start':
          return { ...held, _tag: 'StartAttempt', attemptId: newId(), misfireToleranceMs: 60 * SECOND };
        case 'succeed':
          return { ...held, _tag: 'SucceedAttempt', durationMs: 1 };
        case 'fail': {
          const error = { name: 'Error', message: 'drawn' };
          return { ...held, _tag: 'FailAttempt', durationMs: 1, error, isRetryable: true, random: 0.5 };
        }
        case 'release':
          return { ...held, _tag: 'ReleaseClaim', why: 'drawn' };
        case 'expire':
          return {
            ...held,
            now: addMilliseconds(held.now, 3_600 * SECOND),
            _tag: 'ExpireLease',
            random: 0.5,
          };
      }
    };

  const report = async (jobId: string, what: Report): Promise<void> => {
    const isDone = await append(jobId, commandOf(what));
    if (isDone && what === 'succeed') await spawnLeaves(jobId);
  };

  /** As the handler of a root does: leaves of its own stamp. */
  const spawnLeaves = async (jobId: string): Promise<void> => {
    const state = await right(() => loadJob(world.glance, jobId));
    if (state._tag === 'None' || state.job.root?.isSelf !== true) return;
    const { rootJobIsSelf: _, ...params } = state.job.params;
    const leaf = { type: 'work', wiki: world.wiki, ignoreDuplicates: true };
    await enqueue(
      [1, 2].map((n) => ({ ...leaf, params: { ...params, leaf: n }, jobId: newId() })),
      0,
    );
  };

  const chosen = (from: readonly string[], n: number): string | undefined => from[n % from.length];

  const act = async (next: Action): Promise<void> => {
    switch (next.do) {
      case 'enqueue': {
        const skew = SKEWS[next.producer] ?? 0;
        const at = isoOf(world.now() + skew);
        return enqueue(
          next.jobs.map((job) => specificationOf(job, at)),
          skew,
        );
      }
      case 'begin': {
        // Each holds a connection.
        if (open.length >= MOST_OPEN) return;
        const job = { ...next.job, ownId: undefined };
        open.push(await world.enqueueInTransaction(specificationOf(job, now())));
        return;
      }
      case 'end': {
        const [ended] = open.splice(next.which % Math.max(1, open.length), 1);
        if (next.commit && ended !== undefined) ids.add(ended.jobId);
        return ended?.end(next.commit);
      }
      case 'claim': {
        const jobId = chosen(await jobsIn('Waiting'), next.which);
        return jobId === undefined ? undefined : claim(jobId, next.isStarted);
      }
      case 'cancel':
      case 'requeue': {
        const isCancel = next.do === 'cancel';
        const from = isCancel
          ? await jobsIn('Waiting', 'Claimed', 'Running')
          : await jobsIn('Abandoned', 'Cancelled');
        const jobId = chosen(from, next.which);
        const command: JobCommand = isCancel
          ? { _tag: 'CancelJob', reason: 'drawn' }
          : { _tag: 'RequeueJob', why: 'drawn' };
        if (jobId !== undefined) await append(jobId, () => command);
        return;
      }
      default: {
        const jobId = chosen(
          await jobsIn(next.do === 'start' ? 'Claimed' : 'Running', 'Claimed'),
          next.which,
        );
        return jobId === undefined ? undefined : report(jobId, next.do);
      }
    }
  };

  const finish = async (): Promise<void> => {
    for (const transaction of open.splice(0)) {
      ids.add(transaction.jobId);
      await transaction.end(true);
    }
    for (;;) {
      const left = await jobsIn('Waiting', 'Claimed', 'Running');
      if (left.length === 0) return;
      for (const jobId of left) {
        await claim(jobId, true);
        await report(jobId, 'start');
        await report(jobId, 'succeed');
      }
    }
  };

  return { act, finish };
};
