/** What can go wrong between a program and its queues. */
import type { InvalidSpecification, JobSpecification } from '../../../domain/job/specification.js';
import { explainStoreError, type StoreError } from '../../../domain/errors.js';

/** A job that will not be written, and why. It carries its id where it had one: to push it again is harmless then. */
export interface UnwrittenJob {
  readonly specification: JobSpecification;
  readonly error: StoreError | InvalidSpecification;
}

/** Exactly the jobs of `failures` were not written; whatever else was pushed with them is there. */
export interface JobQueueError {
  readonly _tag: 'JobQueueError';
  readonly message: string;
  readonly failures: readonly UnwrittenJob[];
}

/** What is wrong with what a factory was given, above all its mapping of types to policies, and where: `typeConf.sendMail.leaseSeconds`. */
export interface InvalidTypeConf {
  readonly _tag: 'InvalidTypeConf';
  readonly path: string;
  readonly message: string;
}

const sentence = (error: UnwrittenJob['error']): string =>
  error._tag === 'InvalidSpecification' ? `${error.path} ${error.message}`.trim() : explainStoreError(error);

export const jobQueueError = (failures: readonly UnwrittenJob[]): JobQueueError => {
  const [first] = failures;
  const count = failures.length === 1 ? 'a job was' : `${failures.length} jobs were`;
  const why = first === undefined ? '' : `: ${sentence(first.error)}`;
  return { _tag: 'JobQueueError', message: `${count} not written${why}`, failures };
};
