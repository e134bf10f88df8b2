// What a port's answer has to be in a test that is not about its failure.
import { isLeft } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';

export const right = async <E, A>(task: TaskEither<E, A>): Promise<A> => {
  const outcome = await task();
  if (isLeft(outcome)) {
    throw new Error(
      JSON.stringify(outcome.left, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    );
  }
  return outcome.right;
};
