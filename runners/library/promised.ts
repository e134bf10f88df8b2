/** The API with promises, derived from the one with `TaskEither`: what would be a left is thrown as a typed error. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { sentenceOf, type TaggedError } from './error-sentences.js';

/** Carries the tagged error; `name` is its tag. */
export class LedgerError<Failure extends TaggedError = TaggedError> extends Error {
  constructor(readonly failure: Failure) {
    super(sentenceOf(failure));
    this.name = failure._tag;
  }
}

/** True where the error is the ledger's, with this tag. */
export const isLedgerError = <Tag extends TaggedError['_tag']>(
  error: unknown,
  tag: Tag,
): error is LedgerError<Extract<TaggedError, { _tag: Tag }>> =>
  error instanceof LedgerError && error.failure._tag === tag;

type Promised<F> = F extends (
  ...args: infer Args extends readonly unknown[]
) => TaskEither<TaggedError, infer A>
  ? (...args: Args) => Promise<A>
  : never;

/** The members of a record that give a `TaskEither`, as functions that give a promise. */
export type PromisedApi<Api> = {
  readonly [K in keyof Api as Promised<Api[K]> extends never ? never : K]: Promised<Api[K]>;
};

export const orThrow = async <Failure extends TaggedError, A>(task: TaskEither<Failure, A>): Promise<A> => {
  const outcome = await task();
  if (E.isLeft(outcome)) throw new LedgerError(outcome.left);
  return outcome.right;
};

type Asking = (...args: readonly never[]) => TaskEither<TaggedError, unknown>;

export const promised = <Api extends { readonly [K in keyof Api]: Asking }>(api: Api): PromisedApi<Api> =>
  Object.fromEntries(
    Object.entries<Asking>(api).map(([name, ask]) => [
      name,
      (...args: readonly never[]) => orThrow(ask(...args)),
    ]),
  ) as PromisedApi<Api>;
