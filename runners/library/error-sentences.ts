/** Every error that leaves the library, as a sentence. */
import { explainStoreError, type StoreError } from '../../domain/errors.js';
import { explainRejection, type JobRejection } from '../../domain/job/errors.js';
import type { InvalidSpecification } from '../../domain/job/specification.js';
import type { OpenFailed } from '../ledger.js';
import { prunedInWords, type Pruned } from '../reading/pruned.js';
import type { InvalidTypeConf, JobQueueError } from './queues/errors.js';
import { explainQueueError, type QueueError } from '../queues/errors.js';

export interface JobNotFound {
  readonly _tag: 'JobNotFound';
  readonly jobId: string;
  /** Where it was here once: when it was pruned, and the name of the archive that has its history. */
  readonly pruned?: Pick<Pruned, 'at' | 'file'>;
}

/** The job is not in a state that this can be done to. */
export interface OperationRefused {
  readonly _tag: 'OperationRefused';
  readonly jobId: string;
  readonly rejection: JobRejection;
}

export type TaggedError =
  | StoreError
  | InvalidSpecification
  | OpenFailed
  | JobNotFound
  | OperationRefused
  | QueueError
  | JobQueueError
  | InvalidTypeConf;

export const sentenceOf = (error: TaggedError): string => {
  switch (error._tag) {
    case 'JobQueueError':
      return error.message;
    case 'InvalidTypeConf':
      return `${error.path} ${error.message}`.trim();
    case 'InvalidSpecification':
      return error.path === '' ? error.message : `${error.path}: ${error.message}`;
    case 'OpenFailed':
      return error.message;
    case 'JobNotFound':
      return error.pruned === undefined
        ? `there is no job ${error.jobId}`
        : prunedInWords(error.jobId, error.pruned);
    case 'OperationRefused':
      return `job ${error.jobId}: ${explainRejection(error.rejection)}`;
    case 'AlreadyPaused':
    case 'NotPaused':
    case 'NothingChanges':
    case 'InvalidQueue':
      return explainQueueError(error);
    default:
      return explainStoreError(error);
  }
};
