// The rounds that look whether what runs long is still this runner's.
import * as E from 'fp-ts/lib/Either.js';
import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { jobStream, type StreamName } from '../../../domain/ledger.js';
import type { AttemptPorts } from '../../../runners/worker/attempt.js';
import { drop, emptyHand, enter, type Hand } from '../../../runners/worker/hand.js';
import type { HeldJob } from '../../../runners/worker/holding.js';
import { keepRechecking } from '../../../runners/worker/recheck.js';
import { collected } from '../../support/collected.js';
import { until } from '../../support/waiting.js';

const ROUND_MS = 100;

interface Look {
  readonly streams: readonly StreamName[];
  readonly answer: () => void;
}

/** A hand whose looks at streams are answered by the test. */
const lookedAt = (): { readonly hand: Hand; readonly look: (n: number) => Promise<Look> } => {
  const looks: Look[] = [];
  const readStreams = (streams: readonly StreamName[]) => () =>
    new Promise((resolve) => looks.push({ streams, answer: () => resolve(E.right(new Map())) }));
  const ports = () => ({ store: { readStreams } }) as unknown as AttemptPorts;
  const hand = emptyHand({ concurrency: 2, handlerOf: () => undefined, ports, onChange: () => undefined });
  return { hand, look: (n) => until(`look ${n}`, () => looks[n]) };
};

const jobOf = (jobId: string) =>
  ({ jobId, dedupKey: jobId, state: { job: { losses: 0 } } }) as unknown as HeldJob;

const entered = (hand: Hand, jobId: string): WeakRef<object> => new WeakRef(enter(hand, jobOf(jobId)));

const left = (hand: Hand, jobId: string): void => {
  for (const entry of hand.active) if (entry.job.jobId === jobId) drop(hand, entry);
};

describe('the rounds that look at what a runner has long in hand', () => {
  it('hold nothing of a job that has ended since the last of them', async () => {
    const { hand, look } = lookedAt();
    const ended = new AbortController();
    entered(hand, 'long');
    const rounds = keepRechecking(hand, ROUND_MS, ended.signal);
    const first = await look(0);
    const short = entered(hand, 'short');
    first.answer();
    await turn();
    left(hand, 'short');
    const second = await look(1);
    expect(second.streams).to.deep.equal([jobStream('long')]);
    await collected('the short job', [short]);
    ended.abort();
    second.answer();
    await rounds;
  });
});
