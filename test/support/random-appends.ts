// A random but repeatable history: many jobs at once, every kind of event, each decided by the domain.
import { isLeft } from 'fp-ts/lib/Either.js';
import type { JobCommand } from '../../domain/job/commands.js';
import { decide } from '../../domain/job/decide.js';
import type { JobEvent } from '../../domain/job/events.js';
import { advanceJob } from '../../domain/job/fold.js';
import { noJob, type JobState } from '../../domain/job/state.js';
import { jobStream, type NewEvent } from '../../domain/ledger.js';
import type { StreamAppend } from '../../domain/ports.js';
import { currentVersion } from '../../domain/upcast.js';
import {
  at,
  attemptId,
  claim,
  deduplicated,
  enqueue,
  fail,
  imported,
  importRow,
  release,
  rootAt,
  start,
  succeed,
  suppress,
} from './given-commands.js';

export const uuidOf = (kind: number, n: number): string =>
  `${kind.toString(16).padStart(8, '0')}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

// mulberry32
const randomFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

interface Known {
  readonly stream: string;
  state: JobState;
}

const TITLES = ['Main_Page', 'Ærø', '東京', '🦊/"x"\\y', 'a\tb\nc'] as const;

export interface RandomAppends {
  /** The next append: of a new job or of one that has not ended. */
  readonly next: () => StreamAppend;
  readonly jobIds: () => readonly string[];
}

/** `run` keeps the ids of several generators on one database apart. */
export const randomAppends = (seed: number, run = 1): RandomAppends => {
  const random = randomFrom(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const oneOf = <A>(items: readonly [A, ...A[]]): A => items[below(items.length)] ?? items[0];
  const open: Known[] = [];
  let [jobs, events, attempts] = [0, 0, 0];

  const opening = (): JobCommand => {
    const sha1 = `sha${below(12)}`.padEnd(31, '0');
    const facts = {
      number: String(BigInt(run) * 1_000_000n + BigInt(jobs)),
      wiki: oneOf(['enwiki', 'dewiki']),
      type: oneOf(['refreshLinks', 'htmlCacheUpdate', 'null']),
      title: oneOf(TITLES),
      params: { pages: [below(9)], note: oneOf(TITLES) },
      priority: below(3) - 1,
      ...(random() < 0.2 ? { notBefore: at(-3600 + below(7200)) } : {}),
      ...(random() < 0.3 ? { root: rootAt(`2026030104000${below(9)}`, random() < 0.7) } : {}),
    };
    if (random() < 0.1) {
      const { job } = importRow({ ...imported, sha1 });
      return importRow({ ...imported, sha1 }, { job: { ...job, ...facts } } as never);
    }
    return enqueue({ ...facts, ...(random() < 0.5 ? { dedup: { ...deduplicated, sha1 } } : {}) });
  };

  const onWaiting = (everClaimed: boolean): JobCommand => {
    const dice = random();
    if (dice < 0.25 && !everClaimed) {
      const root = rootAt(`2026030104000${below(9)}`);
      return suppress({
        root,
        class: oneOf(['high', 'normal']),
        ...(dice < 0.1 ? { notBefore: at(-9) } : {}),
        ...(dice < 0.15 ? { jobId: uuidOf(0xd0 + run, events) } : {}),
      });
    }
    if (dice < 0.3) return { _tag: 'CancelJob', reason: 'not wanted any more' };
    if (dice < 0.32) return { _tag: 'EraseJob', subject: 'somebody' };
    const executedLater = dice < 0.36 ? { jobId: uuidOf(run, 0) } : undefined;
    const token = uuidOf(run, events).replaceAll('-', '');
    return claim({ token, now: at(86_400), executedLater, ignoreDuplicates: random() < 0.2 });
  };

  const onHeld = (token: string, isRunning: boolean): JobCommand => {
    const dice = random();
    if (dice < 0.08) return release({ token });
    if (dice < 0.14)
      return { _tag: 'ExpireLease', token, now: at(2 * 86_400), renewedUntil: at(86_400), random: 0.5 };
    if (dice < 0.17) return { _tag: 'CancelJob', reason: 'stop\tit' };
    if (!isRunning)
      return start({ token, now: at(86_401), attemptId: attemptId(run * 1_000_000 + (attempts += 1)) });
    return dice < 0.4 ? fail({ token, isRetryable: dice < 0.37 }) : succeed({ token });
  };

  const commandFor = (state: JobState): JobCommand => {
    switch (state._tag) {
      case 'None':
        return opening();
      case 'Waiting':
        return onWaiting(state.job.everClaimed);
      case 'Claimed':
      case 'Running':
        return onHeld(state.claim.token, state._tag === 'Running');
      default:
        return { _tag: 'RequeueJob', why: 'again' };
    }
  };

  const newEvent = (event: JobEvent): NewEvent => ({
    id: uuidOf(0xe0 + run, (events += 1)),
    type: event.type,
    data: event.data,
    metadata: {
      schemaVersion: currentVersion(event.type),
      correlationId: 'random',
      causationId: 'random',
      by: 'random',
      occurredAt: at(events),
    },
  });

  const pick = (): Known => {
    if (open.length > 0 && random() < 0.75) return open[below(open.length)] ?? pick();
    const job = { stream: jobStream(uuidOf(run, (jobs += 1))), state: noJob };
    open.push(job);
    return job;
  };

  const isOver = ({ _tag }: JobState): boolean =>
    _tag === 'Succeeded' ||
    _tag === 'Superseded' ||
    ((_tag === 'Abandoned' || _tag === 'Cancelled') && random() < 0.7);

  const next = (): StreamAppend => {
    for (;;) {
      const job = pick();
      const decided = decide(commandFor(job.state), job.state);
      if (isLeft(decided)) continue;
      const expected = job.state._tag === 'None' ? ('no-stream' as const) : job.state.revision;
      job.state = advanceJob(job.state, decided.right);
      if (isOver(job.state)) open.splice(open.indexOf(job), 1);
      return { stream: job.stream, expected, events: decided.right.map(newEvent) };
    }
  };

  return { next, jobIds: () => Array.from({ length: jobs }, (_, index) => uuidOf(run, index + 1)) };
};
