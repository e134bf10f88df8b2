/** Promises of a technology as `TaskEither`s of the store's errors. */
import { left, right, type Either } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../domain/errors.js';

/** @param toStoreError the technology's own errors as the store's */
export const attempting =
  (toStoreError: (error: unknown) => StoreError) =>
  <A>(work: () => Promise<A>): TaskEither<StoreError, A> =>
  async (): Promise<Either<StoreError, A>> => {
    try {
      return right(await work());
    } catch (error) {
      return left(toStoreError(error));
    }
  };
