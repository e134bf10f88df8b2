/** An append whose outcome is unknown is asked again with the same ids and revisions, a bounded number of times. */
import * as E from 'fp-ts/lib/Either.js';
import { explainStoreError, rejected, type AppendError, type StoreError } from '../../domain/errors.js';
import type { AppendOutcome, EventStore, StreamAppend } from '../../domain/ports.js';
import { pause } from '../pause.js';

const DELAYS_MS = [50, 200, 800, 2_000];

export const appendPersistently = async (
  store: Pick<EventStore, 'append'>,
  appends: readonly StreamAppend[],
): Promise<E.Either<StoreError, readonly AppendOutcome[]>> => {
  for (const delay of DELAYS_MS) {
    const outcomes = await store.append(appends)();
    if (E.isRight(outcomes) || outcomes.left._tag !== 'Unavailable') return outcomes;
    await pause(delay);
  }
  return store.append(appends)();
};

/** An append's error where a conflict has no meaning of its own any more. */
export const storeErrorOf = (error: AppendError): StoreError =>
  error._tag === 'Conflict' || error._tag === 'TooLarge' ? rejected(explainStoreError(error)) : error;
