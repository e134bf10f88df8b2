/**
 * `job_execution_log` (seed 003): one row per attempt, written when it starts and completed when it ends. Its id is the attempt's own,
 * so the completing event finds the row whatever happened between.
 */
import { shortened } from '../domain/bytes.js';
import type { JobEventOf } from '../domain/job/events.js';
import { errorLine } from '../domain/job/error-facts.js';
import { attemptIdOf } from '../domain/job/task-id.js';
import { nothing, ownRowAt } from './address.js';
import type { ProjectedEvent, Projection, Table } from './projection.js';
import { insert, patch, type Row, type TableChange } from './row-change.js';

const JOB_NAME_WIDTH = 100;
const HOSTNAME_WIDTH = 255;
const IP_WIDTH = 50;
const FAILURE_CAUSE_WIDTH = 2_000;

const TABLE = 'job_execution_log';

export const executionLogTable: Table = {
  name: TABLE,
  key: ['id'],
  isSum: false,
  columns: {
    id: 'text',
    job_name: 'text',
    task_id: 'text',
    hostname: 'text',
    ip: 'text',
    sharding_item: 'integer',
    execution_source: 'text',
    failure_cause: 'text',
    is_success: 'boolean',
    start_time: 'timestamp',
    complete_time: 'timestamp',
  },
};

interface End {
  readonly taskId: string;
  readonly completeTime: string;
  readonly cause?: string;
  readonly isSuccess: boolean;
}

const ended = (
  at: ProjectedEvent,
  { taskId, completeTime, cause, isSuccess }: End,
): readonly TableChange[] => {
  const told: Row = cause === undefined ? {} : { failure_cause: shortened(cause, FAILURE_CAUSE_WIDTH) };
  const columns = { is_success: isSuccess, complete_time: completeTime, ...told };
  return [ownRowAt(TABLE, attemptIdOf(taskId), at, patch(columns))];
};

const failed = (at: ProjectedEvent, taskId: string, completeTime: string, cause: string) =>
  ended(at, { taskId, completeTime, cause, isSuccess: false });

/** Put off by its handler, it is no failure (ADR 8): the table's one word for that is success, and the cause says what it was. */
const released = (
  at: ProjectedEvent,
  { task, attempt, completedAt = at.metadata.occurredAt, notBefore, why }: JobEventOf<'JobReleased'>['data'],
): readonly TableChange[] => {
  if (attempt === undefined || task === undefined) return nothing;
  return notBefore === undefined
    ? failed(at, task.taskId, completedAt, `interrupted: ${why}`)
    : ended(at, {
        taskId: task.taskId,
        completeTime: completedAt,
        cause: `put off until ${notBefore}: ${why}`,
        isSuccess: true,
      });
};

const project = (at: ProjectedEvent): readonly TableChange[] => {
  const { event } = at;
  switch (event.type) {
    case 'AttemptStarted': {
      const { type, taskId, runner, shardingItem, executionSource, startedAt } = event.data;
      const id = attemptIdOf(taskId);
      const row = {
        id,
        job_name: shortened(type, JOB_NAME_WIDTH),
        task_id: taskId,
        hostname: shortened(runner.host, HOSTNAME_WIDTH),
        ip: shortened(runner.ip, IP_WIDTH),
        sharding_item: shardingItem,
        execution_source: executionSource,
        failure_cause: null,
        is_success: false,
        start_time: startedAt,
        complete_time: null,
      };
      return [ownRowAt(TABLE, id, at, insert(row))];
    }
    case 'AttemptSucceeded':
      return ended(at, { taskId: event.data.taskId, completeTime: event.data.completedAt, isSuccess: true });
    case 'AttemptFailed':
      return failed(at, event.data.taskId, event.data.completedAt, errorLine(event.data.error));
    case 'LeaseExpired':
      return event.data.attempt === undefined || event.data.task === undefined
        ? nothing
        : failed(at, event.data.task.taskId, at.metadata.occurredAt, 'the lease of the runner was lost');
    case 'JobReleased':
      return released(at, event.data);
    case 'JobCancelled':
      return event.data.attempt === undefined || event.data.task === undefined
        ? nothing
        : failed(at, event.data.task.taskId, at.metadata.occurredAt, `cancelled: ${event.data.reason}`);
    case 'JobErased':
      return event.data.from !== 'Running' || event.data.task === undefined
        ? nothing
        : failed(at, event.data.task.taskId, at.metadata.occurredAt, 'cancelled: erased');
    default:
      return nothing;
  }
};

export const executionLog: Projection = {
  name: TABLE,
  version: 2,
  drive: 'catch-up',
  tables: [executionLogTable],
  handles: [
    'AttemptStarted',
    'AttemptSucceeded',
    'AttemptFailed',
    'LeaseExpired',
    'JobReleased',
    'JobCancelled',
    'JobErased',
  ],
  project,
};
