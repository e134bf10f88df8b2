/** What keeps a decision about queues from being written. */
import { explainStoreError, type StoreError } from '../../domain/errors.js';
import type { QueueRejection } from '../../domain/queue/decide.js';

export type QueueError = QueueRejection | StoreError;

export const explainQueueError = (error: QueueError): string => {
  switch (error._tag) {
    case 'AlreadyPaused':
      return `it is paused already: ${error.why}`;
    case 'NotPaused':
      return 'it is not paused';
    case 'NothingChanges':
      return 'the settings are those already';
    case 'InvalidQueue':
      return `${error.path} ${error.message}`;
    default:
      return explainStoreError(error);
  }
};
