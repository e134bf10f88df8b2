/** What the database did not answer is asked again, a bounded number of times: an append with the same ids and revisions. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { backOff } from '../../adapters/back-off.js';
import { pause } from '../../adapters/pause.js';
import { explainStoreError, rejected, type AppendError, type StoreError } from '../../domain/errors.js';
import type { AppendOutcome, EventStore, StreamAppend } from '../../domain/ports.js';
import type { JobIndex } from '../../projections/ports.js';

const TRIES = 6;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

export const persistently =
  <A>(ask: TaskEither<StoreError, A>): TaskEither<StoreError, A> =>
  async () => {
    const retries = backOff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
    for (let tries = 1; ; tries += 1) {
      const answer = await ask();
      if (E.isRight(answer) || answer.left._tag !== 'Unavailable' || tries === TRIES) return answer;
      await pause(retries.next());
    }
  };

export const appendPersistently = (
  store: Pick<EventStore, 'append'>,
  appends: readonly StreamAppend[],
): Promise<E.Either<StoreError, readonly AppendOutcome[]>> => persistently(store.append(appends))();

/** An index whose questions are asked again: a caller need not hear of a connection that was lost in between. */
export const persistentIndex = (index: JobIndex): JobIndex => ({
  survivors: (keys) => persistently(index.survivors(keys)),
  executedEquals: (keys) => persistently(index.executedEquals(keys)),
  newestRoots: (families) => persistently(index.newestRoots(families)),
  newestBegun: (families) => persistently(index.newestBegun(families)),
  quietUntil: (positions) => persistently(index.quietUntil(positions)),
  suppressedIds: (ids) => persistently(index.suppressedIds(ids)),
  spentIds: (ids) => persistently(index.spentIds(ids)),
  drawNumbers: (count) => persistently(index.drawNumbers(count)),
  now: () => persistently(index.now()),
});

export const persistentReads = (
  store: Pick<EventStore, 'append' | 'readStreams'>,
): Pick<EventStore, 'append' | 'readStreams'> => ({
  append: store.append,
  readStreams: (streams) => persistently(store.readStreams(streams)),
});

/** An append's error where a conflict has no meaning of its own any more. */
export const storeErrorOf = (error: AppendError): StoreError =>
  error._tag === 'Conflict' || error._tag === 'TooLarge' ? rejected(explainStoreError(error)) : error;
