/** What a program asks, looked at before anything is done: JavaScript lets through what the types refuse. */
import * as TE from 'fp-ts/lib/TaskEither.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import { unknownName } from '../../domain/nearest.js';

/** What is wrong with a member's value, as the end of a sentence. */
export type Check = (value: unknown) => string | undefined;

export const text: Check = (value) => (typeof value === 'string' ? undefined : 'is not a text');

export const count: Check = (value) =>
  Number.isInteger(value) && Number(value) >= 1 ? undefined : 'is not a whole number from 1';

/** Looked at elsewhere. */
export const anything: Check = () => undefined;

/** The first flaw of a request: no object, a member that nobody knows, which would hold for everything, one of another kind, or one missing. */
export const requestFlaw = (
  request: unknown,
  members: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
): string | undefined => {
  if (typeof request !== 'object' || request === null) return 'what is asked is not an object';
  const given = new Map(Object.entries(request).filter(([, value]) => value !== undefined));
  for (const [name, value] of given) {
    const check = Object.hasOwn(members, name) ? members[name] : undefined;
    if (check === undefined) return unknownName('member', name, Object.keys(members));
    const flaw = check(value);
    if (flaw !== undefined) return `${name} ${flaw}`;
  }
  const missing = required.find((name) => !given.has(name));
  return missing === undefined ? undefined : `${missing} is missing`;
};

/** Asks only where there is no flaw. */
export const unlessFlawed = <E, A>(
  flaw: string | undefined,
  ask: () => TE.TaskEither<E, A>,
): TE.TaskEither<E | StoreError, A> => (flaw === undefined ? ask() : TE.left(rejected(flaw)));
