// Short ways to append and to read in tests of event stores.
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { randomUUID } from 'node:crypto';
import type { AppendError } from '../../domain/errors.js';
import type { ExpectedRevision, NewEvent, RecordedEvent, StreamName } from '../../domain/ledger.js';
import type { Appended, AppendOutcome, EventStore, StreamAppend } from '../../domain/ports.js';

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each));

export const succeed = async <E, A>(task: TaskEither<E, A>): Promise<A> => {
  const outcome = await task();
  if (isLeft(outcome)) throw new Error(shown(outcome.left));
  return outcome.right;
};

export const newStream = (prefix = 'job'): StreamName => `${prefix}-${randomUUID()}`;

export const newEvent = (type = 'Happened', data: object = {}): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    schemaVersion: 1,
    correlationId: randomUUID(),
    causationId: randomUUID(),
    by: 'a test',
    occurredAt: '2026-03-01T12:00:00.000Z',
  },
});

export const newEvents = (count: number): readonly NewEvent[] =>
  Array.from({ length: count }, () => newEvent());

export const share = (
  stream: StreamName,
  expected: ExpectedRevision,
  events: readonly NewEvent[] = [newEvent()],
): StreamAppend => ({ stream, expected, events });

export const outcomesOf = (
  store: EventStore,
  ...appends: readonly StreamAppend[]
): Promise<readonly AppendOutcome[]> => succeed(store.append(appends));

/** Appends that have to be taken. */
export const taken = async (
  store: EventStore,
  ...appends: readonly StreamAppend[]
): Promise<readonly Appended[]> =>
  (await outcomesOf(store, ...appends)).map((outcome) => {
    if (isLeft(outcome)) throw new Error(shown(outcome.left));
    return outcome.right;
  });

/** The error of an append that must not be taken. */
export const refusal = async (store: EventStore, append: StreamAppend): Promise<AppendError> => {
  const [outcome] = await outcomesOf(store, append);
  if (outcome === undefined || isRight(outcome)) throw new Error('the append was taken');
  return outcome.left;
};

export const places = (events: readonly RecordedEvent[]): readonly string[] =>
  events.map(({ stream, revision }) => `${stream} ${revision}`);

export const ids = (events: readonly { readonly id: string }[]): readonly string[] =>
  events.map(({ id }) => id);

/** Waits for a condition, generously. */
export const until = async (condition: () => boolean, what = 'the condition'): Promise<void> => {
  const deadline = Date.now() + 50_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`${what} did not come true`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};
