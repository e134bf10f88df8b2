/** What a program asks, looked at before anything is done: JavaScript lets through what the types refuse. */
import * as TE from 'fp-ts/lib/TaskEither.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import { typeFlaw, wikiFlaw } from '../../domain/job/names.js';
import { isUuid } from '../../domain/ledger.js';
import { unknownName } from '../../domain/nearest.js';
import type { JobNotFound } from './error-sentences.js';

/** What is wrong with a member's value, as the end of a sentence. */
export type Check = (value: unknown) => string | undefined;

const textThat =
  (flawOf: (value: string) => string | undefined): Check =>
  (value) =>
    typeof value === 'string' ? flawOf(value) : 'is not a text';

export const text: Check = textThat(() => undefined);

/** A text that says something. */
export const words: Check = textThat((value) => (value.trim() === '' ? 'is empty' : undefined));

export const wiki: Check = textThat(wikiFlaw);

export const jobType: Check = textThat(typeFlaw);

export const count: Check = (value) =>
  Number.isInteger(value) && Number(value) >= 1 ? undefined : 'is not a whole number from 1';

export const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'is not true or false');

export const callable: Check = (value) => (typeof value === 'function' ? undefined : 'is no function');

export const texts: Check = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? undefined
    : 'is not a list of texts';

/** Looked at elsewhere. */
export const anything: Check = () => undefined;

/** Members by name. */
export type Members = Readonly<Record<string, Check>>;

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first flaw of an object's members, without the name of what was asked. */
export const memberFlaw = (
  value: object,
  members: Members,
  required: readonly string[] = [],
): string | undefined => {
  const stranger = Object.keys(value).find(
    (name) => !Object.hasOwn(members, name) && Reflect.get(value, name) !== undefined,
  );
  if (stranger !== undefined) return unknownName('member', stranger, Object.keys(members));
  for (const [name, check] of Object.entries(members)) {
    const given: unknown = Reflect.get(value, name);
    const flaw = given === undefined ? undefined : check(given);
    if (flaw !== undefined) return `${name} ${flaw}`;
  }
  const missing = required.find((name) => Reflect.get(value, name) === undefined);
  return missing === undefined ? undefined : `${missing} is missing`;
};

/**
 * The first flaw of a request, as a sentence: no object, a member that nobody knows, which would hold for everything, one of another kind,
 * or one missing.
 * @param asked the function that was called
 */
export const requestFlaw = (
  asked: string,
  request: unknown,
  members: Members,
  required: readonly string[] = [],
): string | undefined => {
  const flaw = isObject(request)
    ? memberFlaw(request, members, required)
    : `it takes an object, with the members ${Object.keys(members).join(', ')}`;
  return flaw === undefined ? undefined : `${asked}: ${flaw}`;
};

/** @throws TypeError where a call could never do what it says: a mistake of the program, told at once */
export const insist = (flaw: string | undefined): void => {
  if (flaw !== undefined) throw new TypeError(flaw);
};

/** Asks only where there is no flaw. */
export const unlessFlawed = <E, A>(
  flaw: string | undefined,
  ask: () => TE.TaskEither<E, A>,
): TE.TaskEither<E | StoreError, A> => (flaw === undefined ? ask() : TE.left(rejected(flaw)));

/** Asks about the job of this id, under which nothing but a UUID can be found. */
export const aboutJob = <E, A>(
  asked: string,
  jobId: unknown,
  ask: (jobId: string) => TE.TaskEither<E, A>,
): TE.TaskEither<E | StoreError | JobNotFound, A> => {
  if (typeof jobId !== 'string')
    return TE.left(
      rejected(`${asked}: the job's id is not a text; it is the UUID that enqueue answers with`),
    );
  const id = jobId.toLowerCase();
  return isUuid(id) ? ask(id) : TE.left({ _tag: 'JobNotFound', jobId });
};
