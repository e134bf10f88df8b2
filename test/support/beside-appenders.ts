// What readers see while many append, on any store: each event once, in the order of the history.
import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import { explainStoreError } from '../../domain/errors.js';
import type { RecordedEvent } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import { newEvents, outcomesOf, share, succeed } from '../contract/appending.js';
import { until } from './waiting.js';

const APPENDERS = 10;
const ROUNDS = 25;
const SHARED_STREAMS = 20;

const keys = (events: readonly RecordedEvent[]): readonly string[] =>
  events.map(({ position, stream, revision, id }) => `${position} ${stream} ${revision} ${id}`);

const appendAgain = async (store: EventStore): Promise<void> => {
  const stream = `job-${Math.floor(Math.random() * SHARED_STREAMS)}`;
  const [last] = await succeed(store.readStream(stream, { direction: 'backward', limit: 1 }));
  // Who was slower meets a conflict, and writes nothing.
  await outcomesOf(
    store,
    share(stream, last?.revision ?? 'no-stream', newEvents(1 + Math.floor(Math.random() * 5))),
  );
};

/** `hinder` is called before each round of an appender. */
export const eachEventOnce = async (store: EventStore, hinder: (round: number) => void): Promise<void> => {
  const [followed, polled]: [RecordedEvent[], RecordedEvent[]] = [[], []];
  const subscription = store.subscribe({
    from: 'start',
    onPage: (page) => () => {
      followed.push(...page.events);
      return Promise.resolve();
    },
  });
  const appending = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) {
      hinder(round);
      await appendAgain(store);
    }
  };
  let isOver = false;
  const appended = Promise.all(Array.from({ length: APPENDERS }, appending)).finally(() => {
    isOver = true;
  });
  const poll = async (): Promise<void> => {
    for (let after = 0n; !isOver || after < (await succeed(store.end()));) {
      const page = await store.readAll({ after })();
      if (isLeft(page) && page.left._tag === 'Unavailable') continue;
      if (isLeft(page)) throw new Error(explainStoreError(page.left));
      polled.push(...page.right.events);
      after = page.right.upTo;
    }
  };
  await Promise.all([appended, poll()]);
  const { events } = await succeed(store.readAll({ after: 0n }));
  expect(events.length).to.be.above(ROUNDS);
  expect(keys(polled)).to.deep.equal(keys(events));
  await until('the subscription has seen all', () => followed.length >= events.length);
  expect(keys(followed)).to.deep.equal(keys(events));
  await subscription.stop();
};
