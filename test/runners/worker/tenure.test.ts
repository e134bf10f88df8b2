// How long a tenure lasts whose renewals are not answered.
import * as E from 'fp-ts/lib/Either.js';
import { expect } from 'chai';
import { unavailable, type StoreError } from '../../../domain/errors.js';
import type { RunnerPresence } from '../../../projections/ports.js';
import { beginTenure } from '../../../runners/worker/tenure.js';

type Answer = () => Promise<E.Either<StoreError, boolean>>;

const right = () => Promise.resolve(E.right(undefined));

/** How long each of some tenures lasted, and how often it asked for a renewal. */
const lasted = async (leaseMs: number, answer: Answer, heartbeatMs = leaseMs / 3) => {
  let asked = 0;
  const presence = {
    arrive: () => right,
    renew: () => () => {
      asked += 1;
      return answer();
    },
  } as unknown as RunnerPresence;
  const begun = performance.now();
  const tenure = await beginTenure(
    {
      store: { append: () => () => Promise.resolve(E.left(unavailable('not asked here'))) },
      presence,
      clock: { measure: () => Promise.resolve(E.right(0)), offset: () => 0 },
      log: () => undefined,
    },
    { id: 'runner', host: 'host', ip: '127.0.0.1', instance: '1' },
    { leaseMs, heartbeatMs, stopping: new AbortController().signal },
  );
  await new Promise<void>((resolve) => tenure.lost.addEventListener('abort', () => resolve()));
  return { asked, isWhole: performance.now() - begun >= leaseMs };
};

/** Of lengths that end at every fraction of a millisecond: timers know whole ones only, and may fire before the end. */
const several = (answer: Answer) =>
  Promise.all(Array.from({ length: 50 }, (_, n) => lasted(90 + n * 1.37, answer)));

describe('a tenure', () => {
  it('that waits for the answer to a renewal is over with its lease, and asks no second time', async () => {
    for (const { asked, isWhole } of await several(() => new Promise<never>(() => undefined))) {
      expect(isWhole).to.equal(true);
      expect(asked).to.equal(1);
    }
  });

  it('whose renewals fail tries them for a whole lease', async () => {
    for (const { isWhole } of await several(() => Promise.resolve(E.left(unavailable('not today'))))) {
      expect(isWhole).to.equal(true);
    }
  });

  it('whose renewals fail many times leaves neither a timer nor a listener behind for each of them', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', note);
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    let most = 0;
    const { asked } = await lasted(
      2_000,
      () => {
        most = Math.max(most, timers() - before);
        return Promise.resolve(E.left(unavailable('not today')));
      },
      5,
    );
    process.off('warning', note);
    expect(asked).to.be.above(15);
    expect(most).to.be.below(5);
    expect(warnings).to.deep.equal([]);
  });
});
