/** Between the ports' answers and the promises inside this adapter. */
import { isLeft } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import { StoreFailure } from './error-mapping.js';

export const succeeded = async <A>(task: TaskEither<StoreError, A>): Promise<A> => {
  const outcome = await task();
  if (isLeft(outcome)) throw new StoreFailure(outcome.left);
  return outcome.right;
};
