/** An append whose outcome is unknown is asked again with the same ids and revisions, a bounded number of times. */
import * as E from 'fp-ts/lib/Either.js';
import { explainStoreError, rejected, type AppendError, type StoreError } from '../../domain/errors.js';
import type { AppendOutcome, EventStore, StreamAppend } from '../../domain/ports.js';
import { backOff } from '../../adapters/back-off.js';
import { pause } from '../../adapters/pause.js';

const TRIES = 6;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

export const appendPersistently = async (
  store: Pick<EventStore, 'append'>,
  appends: readonly StreamAppend[],
): Promise<E.Either<StoreError, readonly AppendOutcome[]>> => {
  const retries = backOff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  for (let tries = 1; ; tries += 1) {
    const outcomes = await store.append(appends)();
    if (E.isRight(outcomes) || outcomes.left._tag !== 'Unavailable' || tries === TRIES) return outcomes;
    await pause(retries.next());
  }
};

/** An append's error where a conflict has no meaning of its own any more. */
export const storeErrorOf = (error: AppendError): StoreError =>
  error._tag === 'Conflict' || error._tag === 'TooLarge' ? rejected(explainStoreError(error)) : error;
