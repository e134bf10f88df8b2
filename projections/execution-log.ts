/**
 * `job_execution_log` (seed 003): one row per attempt, written when it starts and completed when it ends. Its id is the attempt's own,
 * so the completing event finds the row whatever happened between.
 */
import { shortened } from '../domain/bytes.js';
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

const ended = (
  at: ProjectedEvent,
  taskId: string,
  completeTime: string,
  cause?: string,
): readonly TableChange[] => {
  const failure: Row = cause === undefined ? {} : { failure_cause: shortened(cause, FAILURE_CAUSE_WIDTH) };
  const columns = { is_success: cause === undefined, complete_time: completeTime, ...failure };
  return [ownRowAt(TABLE, attemptIdOf(taskId), at, patch(columns))];
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
      return ended(at, event.data.taskId, event.data.completedAt);
    case 'AttemptFailed':
      return ended(at, event.data.taskId, event.data.completedAt, errorLine(event.data.error));
    case 'LeaseExpired':
      return event.data.attempt === undefined || event.data.task === undefined
        ? nothing
        : ended(at, event.data.task.taskId, at.metadata.occurredAt, 'the lease of the runner was lost');
    case 'JobReleased':
      return event.data.attempt === undefined || event.data.task === undefined
        ? nothing
        : ended(
            at,
            event.data.task.taskId,
            event.data.completedAt ?? at.metadata.occurredAt,
            `${event.data.notBefore === undefined ? 'interrupted' : 'put off'}: ${event.data.why}`,
          );
    case 'JobCancelled':
      return event.data.attempt === undefined || event.data.task === undefined
        ? nothing
        : ended(at, event.data.task.taskId, at.metadata.occurredAt, `cancelled: ${event.data.reason}`);
    case 'JobErased':
      return event.data.from !== 'Running' || event.data.task === undefined
        ? nothing
        : ended(at, event.data.task.taskId, at.metadata.occurredAt, 'cancelled: erased');
    default:
      return nothing;
  }
};

export const executionLog: Projection = {
  name: TABLE,
  version: 1,
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
