/** Every error that leaves the library, as a sentence. */
import { explainStoreError, type StoreError } from '../../domain/errors.js';
import type { InvalidSpecification } from '../../domain/job/specification.js';
import type { OpenFailed } from '../ledger.js';

export interface JobNotFound {
  readonly _tag: 'JobNotFound';
  readonly jobId: string;
}

export type TaggedError = StoreError | InvalidSpecification | OpenFailed | JobNotFound;

export const sentenceOf = (error: TaggedError): string => {
  switch (error._tag) {
    case 'InvalidSpecification':
      return error.path === '' ? error.message : `${error.path}: ${error.message}`;
    case 'OpenFailed':
      return error.message;
    case 'JobNotFound':
      return `there is no job ${error.jobId}`;
    default:
      return explainStoreError(error);
  }
};
