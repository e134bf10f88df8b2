/** `job_status_trace_log` (seed 003): one row per change of a job's state, its id that of the event. */
import { shortened } from '../domain/bytes.js';
import { errorLine } from '../domain/job/error-facts.js';
import type { Task } from '../domain/job/facts.js';
import { taskParts, unassignedTaskId } from '../domain/job/task-id.js';
import { jobIdOfEvent, nothing, ownRowAt } from './address.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { insert, type TableChange } from './row-change.js';

const SLAVE_ID_WIDTH = 1_000;
const MESSAGE_WIDTH = 2_000;

const TABLE = 'job_status_trace_log';

export const statusTraceLogTable: Table = {
  name: TABLE,
  key: ['id'],
  isSum: false,
  columns: {
    id: 'text',
    job_name: 'text',
    original_task_id: 'text',
    task_id: 'text',
    slave_id: 'text',
    execution_type: 'text',
    sharding_item: 'text',
    state: 'text',
    message: 'text',
    creation_time: 'timestamp',
    source: 'text',
  },
};

type TraceState =
  | 'TASK_STAGING'
  | 'TASK_RUNNING'
  | 'TASK_FINISHED'
  | 'TASK_KILLED'
  | 'TASK_LOST'
  | 'TASK_FAILED'
  | 'TASK_ERROR';

interface Change {
  readonly state: TraceState;
  readonly message: string;
  /** Undefined before the first start. */
  readonly task: Task | undefined;
}

const attemptTask = (data: { readonly taskId: string; readonly originalTaskId?: string }): Task =>
  data.originalTaskId === undefined
    ? { taskId: data.taskId }
    : { taskId: data.taskId, originalTaskId: data.originalTaskId };

const changeOf = ({ event }: ProjectedEvent): Change | undefined => {
  switch (event.type) {
    case 'JobEnqueued':
      return { state: 'TASK_STAGING', message: 'enqueued', task: undefined };
    case 'RetryScheduled':
      return {
        state: 'TASK_STAGING',
        message: `to be tried again at ${event.data.notBefore}: ${event.data.why}`,
        task: event.data.task,
      };
    case 'JobReleased':
      return { state: 'TASK_STAGING', message: releasedMessage(event.data), task: event.data.task };
    case 'JobRequeued':
      return { state: 'TASK_STAGING', message: `made ready again: ${event.data.why}`, task: event.data.task };
    case 'AttemptStarted':
      return {
        state: 'TASK_RUNNING',
        message: `attempt ${event.data.attempt}`,
        task: attemptTask(event.data),
      };
    case 'AttemptSucceeded':
      return { state: 'TASK_FINISHED', message: '', task: attemptTask(event.data) };
    case 'AttemptFailed':
      return {
        state: event.data.next === 'retry' ? 'TASK_FAILED' : 'TASK_ERROR',
        message: errorLine(event.data.error),
        task: attemptTask(event.data),
      };
    case 'LeaseExpired':
      return {
        state: 'TASK_LOST',
        message: `the lease of runner ${event.data.runner.id} was lost`,
        task: event.data.task,
      };
    default:
      return endOf(event);
  }
};

const endOf = (event: ProjectedEvent['event']): Change | undefined => {
  switch (event.type) {
    case 'JobSuperseded':
      return {
        state: 'TASK_FINISHED',
        message: `superseded (${event.data.rule}) by job ${event.data.by}`,
        task: event.data.task,
      };
    case 'JobAbandoned':
      // A failure has its TASK_ERROR already; a lost lease, refused params and an imported end have not.
      return event.data.reason === 'lease-lost' ||
        event.data.error !== undefined ||
        event.data.imported === true
        ? { state: 'TASK_ERROR', message: abandonedMessage(event.data), task: event.data.task }
        : undefined;
    case 'JobCancelled':
      return { state: 'TASK_KILLED', message: `cancelled: ${event.data.reason}`, task: event.data.task };
    case 'JobErased':
      return event.data.ended
        ? undefined
        : { state: 'TASK_KILLED', message: 'erased', task: event.data.task };
    default:
      return undefined;
  }
};

const releasedMessage = ({
  why,
  notBefore,
}: {
  readonly why: string;
  readonly notBefore?: string;
}): string => (notBefore === undefined ? `given back: ${why}` : `put off until ${notBefore}: ${why}`);

const abandonedMessage = (data: {
  readonly reason: string;
  readonly error?: { readonly name: string; readonly message: string };
}): string =>
  data.error === undefined
    ? `abandoned: ${data.reason}`
    : `abandoned: ${data.reason}: ${errorLine(data.error)}`;

const project = (at: ProjectedEvent): readonly TableChange[] => {
  const change = changeOf(at);
  if (change === undefined) return nothing;
  const { type } = at.event.data as { readonly type: string };
  const shardingItem = ('shardingItem' in at.event.data ? at.event.data.shardingItem : undefined) ?? 0;
  const taskId = change.task?.taskId ?? unassignedTaskId(type, shardingItem, jobIdOfEvent(at));
  const parts = taskParts(taskId);
  const row = {
    id: at.id,
    job_name: type,
    original_task_id: change.task?.originalTaskId ?? '',
    task_id: taskId,
    slave_id: shortened(parts.ip, SLAVE_ID_WIDTH),
    execution_type: parts.source,
    sharding_item: parts.items,
    state: change.state,
    message: shortened(change.message, MESSAGE_WIDTH),
    creation_time: at.metadata.occurredAt,
    source: 'LITE_EXECUTOR',
  };
  return [ownRowAt(TABLE, at.id, at, insert(row))];
};

export const statusTraceLog: Projection = {
  name: TABLE,
  version: 1,
  drive: 'catch-up',
  tables: [statusTraceLogTable],
  handles: [
    'JobEnqueued',
    'AttemptStarted',
    'AttemptSucceeded',
    'AttemptFailed',
    'RetryScheduled',
    'JobReleased',
    'JobRequeued',
    'LeaseExpired',
    'JobSuperseded',
    'JobAbandoned',
    'JobCancelled',
    'JobErased',
  ],
  project,
};
