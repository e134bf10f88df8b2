/** Jobs as somebody pushes them to a queue or a group, which says for itself of which wiki, or type, they are. */
import * as E from 'fp-ts/lib/Either.js';
import { separate } from 'fp-ts/lib/ReadonlyArray.js';
import type { InvalidSpecification, JobSpecification } from '../../../domain/job/specification.js';
import type { EnqueueOutcome } from '../../producer/enqueueing.js';
import { isObject } from '../request.js';
import { jobQueueError, type JobQueueError, type UnwrittenJob } from './errors.js';

interface Owner {
  readonly wiki: string;
  /** Undefined: each job says its own. */
  readonly type?: string;
}

/** The jobs made their owner's, and those that cannot be. */
export interface Owned {
  readonly jobs: readonly JobSpecification[];
  readonly refused: readonly UnwrittenJob[];
}

const invalid = (path: string, message: string): InvalidSpecification => ({
  _tag: 'InvalidSpecification',
  path,
  message,
});

const strange = (job: object, owner: Owner): InvalidSpecification | undefined => {
  for (const [name, own] of Object.entries(owner)) {
    const said: unknown = Reflect.get(job, name);
    if (said !== undefined && said !== own)
      return invalid(name, `is not that of the queue, "${own}": leave it out, or push to the right queue`);
  }
  return undefined;
};

const own =
  (owner: Owner) =>
  (job: JobSpecification): E.Either<UnwrittenJob, JobSpecification> => {
    const error = isObject(job)
      ? strange(job, owner)
      : invalid('', 'a job is an object such as { params: { to: "ann@example.org" } }');
    return error === undefined ? E.right({ ...job, ...owner }) : E.left({ specification: job, error });
  };

export const owned = (owner: Owner, jobs: readonly object[]): Owned => {
  const { left, right } = separate(jobs.map((job) => own(owner)(job as JobSpecification)));
  return { jobs: right, refused: left };
};

export interface Pushed {
  readonly outcomes: readonly (EnqueueOutcome | undefined)[];
  readonly failures: readonly UnwrittenJob[];
}

/** Pushes those that can be; an outcome each, or an error that names exactly those that were not written. */
export const pushOwned = async (
  { jobs, refused }: Owned,
  push: (jobs: readonly JobSpecification[]) => Promise<Pushed>,
): Promise<E.Either<JobQueueError, readonly EnqueueOutcome[]>> => {
  const { outcomes, failures } = await push(jobs);
  return refused.length + failures.length > 0
    ? E.left(jobQueueError([...refused, ...failures]))
    : E.right(outcomes.flatMap((outcome) => outcome ?? []));
};

/** Takes all of them, or none. */
export const lazilyOwned = (
  { jobs, refused }: Owned,
  lazyPush: (jobs: readonly JobSpecification[]) => E.Either<JobQueueError, void>,
): E.Either<JobQueueError, void> => (refused.length > 0 ? E.left(jobQueueError(refused)) : lazyPush(jobs));
