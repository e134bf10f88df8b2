// Random stories of jobs: moves are drawn, and become commands by what the job's state is when their turn comes.
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import type { ClaimJob, JobCommand } from '../../domain/job/commands.js';
import { decide, type Decision } from '../../domain/job/decide.js';
import type { JobEvent } from '../../domain/job/events.js';
import { advanceJob } from '../../domain/job/fold.js';
import type { Json } from '../../domain/json.js';
import { noJob, type JobState } from '../../domain/job/state.js';
import {
  at,
  cancel,
  claim,
  enqueue,
  erase,
  expire,
  fail,
  importRow,
  otherRunner,
  refuse,
  release,
  requeue,
  rootParams,
  runner,
  start,
  succeed,
  suppress,
} from './given-commands.js';

/** What stands around a move: the time, the state, and tokens that were handed out before. */
interface Circumstances {
  readonly job: number;
  readonly step: number;
  readonly now: number;
  readonly state: JobState;
  readonly tokens: readonly string[];
}
type Move = (circumstances: Circumstances) => JobCommand;

const stamp = fc.constantFrom('20260301030000', '20260301040000', '20260301050000');
const root = fc.option(
  fc.record({
    signature: fc.constantFrom('family-a', 'family-b'),
    timestamp: stamp,
    isSelf: fc.boolean(),
  }),
  { nil: undefined },
);
const jobClass = fc.constantFrom('high' as const, 'normal' as const, 'low' as const);
const priority = fc.integer({ min: -2, max: 2 });
const delay = fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined });
const policy = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  backoff: fc.record({
    kind: fc.constantFrom('fixed' as const, 'exponential' as const),
    firstMs: fc.integer({ min: 0, max: 50_000 }),
    capMs: fc.constant(60_000),
    jitter: fc.constantFrom(0, 0.2, 1),
  }),
});
const random = fc.double({ min: 0, max: 1, noNaN: true });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const json = fc.json().map((text): Json => JSON.parse(text));

const present = <K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } =>
  value === undefined ? {} : ({ [name]: value } as { readonly [P in K]?: V });

const birth: fc.Arbitrary<Move> = fc
  .record({
    root,
    jobClass,
    isSaidToBeNormal: fc.boolean(),
    priority,
    delay,
    policy,
    ignoreDuplicates: fc.boolean(),
    inCallersTransaction: fc.boolean(),
    shardingItem: fc.constantFrom(0, 0, 3),
    type: fc.constantFrom('refreshLinks', 'htmlCacheUpdate'),
    imported: optional(
      fc.record({ attempts: fc.nat(4), isClaimed: fc.boolean(), isAbandoned: fc.boolean() }),
    ),
  })
  .map((drawn) => ({ job, now }) => {
    const facts = {
      number: String(100 + job),
      type: drawn.type,
      class: drawn.jobClass,
      priority: drawn.priority,
      retry: drawn.policy,
      shardingItem: drawn.shardingItem,
      enqueuedAt: at(now),
      dedup: { ignoreDuplicates: drawn.ignoreDuplicates, sha1: 'p42glrsl783wj55io7lxhmhxf0e5db5' },
      inCallersTransaction: drawn.inCallersTransaction,
      params: { pages: [job], ...(drawn.root === undefined ? {} : rootParams(drawn.root)) },
      ...present('root', drawn.root),
      ...present(
        'hasOwnClass',
        drawn.isSaidToBeNormal && drawn.jobClass === 'normal' ? (true as const) : undefined,
      ),
      ...present('notBefore', drawn.delay === undefined ? undefined : at(now + drawn.delay)),
    };
    if (drawn.imported === undefined) return enqueue(facts);
    const { attempts, isClaimed, isAbandoned } = drawn.imported;
    const row = importRow({ attempts: isClaimed ? attempts + 1 : attempts, jobId: `${job}` });
    const held = { token: `imported-${job}`, claimedAt: at(now - 60), leaseExpiresAt: at(now + 60) };
    return {
      ...row,
      job: { ...row.job, ...facts },
      ...(isClaimed ? { claim: held } : {}),
      isAbandoned: isClaimed && isAbandoned,
    };
  });

const currentToken = ({ state }: Circumstances): string | undefined =>
  state._tag === 'Claimed' || state._tag === 'Running' ? state.claim.token : undefined;

/** Mostly the current token; now and then an old one, or one that never was. */
const token = fc
  .constantFrom('current', 'current', 'current', 'current', 'old', 'foreign')
  .map((which) => (circumstances: Circumstances): string => {
    const current = which === 'current' ? currentToken(circumstances) : undefined;
    return current ?? (which === 'foreign' ? 'foreign' : (circumstances.tokens[0] ?? 'none'));
  });

/** A claim that was imported has begun in the old table already; its holder starts nothing here. */
const ours = (held: string): string => (held.startsWith('imported') ? 'none' : held);

const uuidOf = (prefix: string, job: number, step: number): string =>
  `${prefix}0000000-0000-4000-8000-${String(job * 10_000 + step).padStart(12, '0')}`;

const claiming: fc.Arbitrary<Move> = fc
  .record({
    who: fc.constantFrom(runner, otherRunner),
    lease: fc.integer({ min: 1, max: 60 }),
    policy: optional(policy),
    ignoreDuplicates: fc.boolean(),
    executedLater: optional(fc.record({ jobId: fc.constant('job-e'), rootTimestamp: optional(stamp) })),
    newerRoot: optional(fc.record({ jobId: fc.constant('job-r'), timestamp: stamp })),
    coverage: fc.constantFrom(true, false, false, false),
  })
  .map((drawn) => ({ job, step, now }): ClaimJob => {
    const covers = drawn.coverage
      ? { ...present('executedLater', drawn.executedLater), ...present('newerRoot', drawn.newerRoot) }
      : {};
    return claim({
      token: `token-${job}-${step}`,
      now: at(now),
      runner: drawn.who,
      leaseExpiresAt: at(now + drawn.lease),
      ignoreDuplicates: drawn.ignoreDuplicates,
      ...present('retry', drawn.policy),
      ...covers,
    });
  });

const suppressing: fc.Arbitrary<Move> = fc
  .record({ root, jobClass, priority, delay, differs: fc.boolean() })
  .map(
    (drawn) =>
      ({ job, now }) =>
        suppress({
          now: at(now),
          params: { pages: [job], ...(drawn.differs ? { requestId: 'r' } : {}) },
          class: drawn.jobClass,
          priority: drawn.priority,
          ...present('root', drawn.root),
          ...present('notBefore', drawn.delay === undefined ? undefined : at(now + drawn.delay)),
          ...present('jobId', drawn.differs ? uuidOf('d', job, now) : undefined),
        }),
  );

const held: fc.Arbitrary<Move> = fc
  .record({ which: token, random, isRetryable: fc.boolean(), result: optional(json) })
  .chain(({ which, ...drawn }) =>
    fc.constantFrom<Move>(
      (c) => start({ token: ours(which(c)), now: at(c.now), attemptId: uuidOf('a', c.job, c.step) }),
      (c) => start({ token: ours(which(c)), now: at(c.now), attemptId: uuidOf('a', c.job, c.step) }),
      (c) => succeed({ token: which(c), now: at(c.now), ...present('result', drawn.result) }),
      (c) => fail({ token: which(c), now: at(c.now), random: drawn.random, isRetryable: drawn.isRetryable }),
      (c) => fail({ token: which(c), now: at(c.now), random: drawn.random }),
      (c) => refuse({ token: which(c) }),
      (c) => release({ token: which(c), now: at(c.now) }),
      (c) => expire({ token: which(c), now: at(c.now), random: drawn.random }),
      (c) => expire({ token: which(c), now: at(c.now), random: drawn.random, renewedUntil: at(c.now - 5) }),
    ),
  );

const stopping: fc.Arbitrary<Move> = fc.constantFrom<Move>(
  () => cancel(),
  () => requeue(),
  () => requeue(),
  () => erase(),
);

interface Turn {
  readonly elapsed: number;
  readonly move: Move;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  elapsed: fc.integer({ min: 0, max: 90 }),
  move: fc.oneof(
    { arbitrary: claiming, weight: 6 },
    { arbitrary: held, weight: 8 },
    { arbitrary: suppressing, weight: 2 },
    { arbitrary: stopping, weight: 1 },
    { arbitrary: birth, weight: 1 },
  ),
});

export interface Step {
  readonly command: JobCommand;
  readonly before: JobState;
  readonly decision: Decision;
  readonly after: JobState;
}

const play = (job: number, turns: readonly Turn[]): readonly Step[] => {
  const steps: Step[] = [];
  const tokens: string[] = [];
  let state: JobState = noJob;
  let now = 0;
  for (const [step, { elapsed, move }] of turns.entries()) {
    now += elapsed;
    const command = move({ job, step, now, state, tokens });
    const decision = decide(command, state);
    const before = state;
    if (E.isRight(decision)) state = advanceJob(state, decision.right);
    if (command._tag === 'ClaimJob' && E.isRight(decision)) tokens.unshift(command.token);
    steps.push({ command, before, decision, after: state });
  }
  return steps;
};

/** A job's life, from birth, through moves that may be refused. */
export const story = (job = 0, maxMoves = 30): fc.Arbitrary<readonly Step[]> =>
  fc
    .tuple(birth, fc.array(turn, { maxLength: maxMoves, size: 'max' }))
    .map(([move, turns]) => play(job, [{ elapsed: 0, move }, ...turns]));

export const eventsOf = (steps: readonly Step[]): readonly JobEvent[] =>
  steps.flatMap(({ decision }) => (E.isRight(decision) ? decision.right : []));

/** The events of several jobs, one list each. */
export const stories = (jobs: number, maxMoves = 20): fc.Arbitrary<readonly (readonly JobEvent[])[]> =>
  fc.tuple(...Array.from({ length: jobs }, (_, job) => story(job, maxMoves).map(eventsOf)));
