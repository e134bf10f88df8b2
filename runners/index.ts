/** The package's public face. */
export { newRootJobParams, openLedger, promises, type Ledger, type LedgerOptions } from './library/api.js';
export {
  ANY_TYPE,
  defineJob,
  type HandledJob,
  type Handler,
  type JobContext,
  type JobDefinition,
} from './define-job.js';
export { AttemptTimedOut, NotRetryable, Snooze } from './handler-outcome.js';
export type { BackoffFunction, HandlerRetry } from './handler-retry.js';
export type { HandlersLedger } from './library/asking.js';
export type { OperationError, OperationOptions } from './operations/operate.js';
export type { AbandonedJobs, Retried } from './operations/retry-abandoned.js';
export type { EnqueueAnswer, EnqueueError, EnqueueOutcome } from './producer/enqueueing.js';
export {
  jobQueueGroupFactory,
  type JobQueueGroupFactory,
  type JobQueueGroupOptions,
} from './library/queues/job-queue-group-factory.js';
export type { InvalidTypeConf, JobQueueError, UnwrittenJob } from './library/queues/errors.js';
export type { JobQueue, QueuedJob } from './library/queues/job-queue.js';
export type { GroupJob, JobQueueGroup } from './library/queues/job-queue-group.js';
export type { LazyOptions } from './library/queues/lazy-buffer.js';
export type { PoppedJob } from './library/queues/popped-job.js';
export type { PopTerms, QueueStorage } from './library/queues/queue-storage.js';
export type { QueueSizes } from '../projections/reading-desk.js';
export type { TypePolicy } from './library/queues/type-conf.js';
export type { OnClient } from './library/on-client.js';
export type { JobNotFound, OperationRefused, TaggedError } from './library/error-sentences.js';
export type { QueueApi, QueueNames, QueueReason } from './queues/api.js';
export type { QueueError } from './queues/errors.js';
export type { Pause, QueueDecisions } from '../projections/ports.js';
export type { Scope } from '../domain/queue/scope.js';
export type { QueueSettings, SettingChanges } from '../domain/queue/settings.js';
export { isLedgerError, LedgerError } from './library/promised.js';
export type { RunningWork, WorkOptions } from './work.js';
export type { WorkSummary } from './worker/worker-options.js';
export type { RetryOptions } from '../domain/job/retry.js';
export type { JobSpecification } from '../domain/job/specification.js';
export type { ExistingJob } from '../domain/job/state.js';
export type { RecordedEvent } from '../domain/ledger.js';
