/** Rows of `job_status_trace_log` (seed 003) of one task, in the order of its life. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { attempt } from '../error-mapping.js';
import { isoSql } from '../iso.js';
import type pg from 'pg';
import type { TraceRow } from '../../../projections/reading-desk.js';
import { inSchema, type SchemaName } from '../schema-name.js';
import { rowsOf, type Cells } from '../statement.js';
import type { StoreError } from '../../../domain/errors.js';
import { isUuid } from '../../../domain/ledger.js';

// What one append tells has one time: the end of an attempt stands before what comes of it.
const TRACE = `
SELECT t.id, t.job_name, t.original_task_id, t.task_id, t.slave_id, t.execution_type, t.sharding_item, t.state, t.message,
  ${isoSql(`(t.creation_time AT TIME ZONE 'UTC')`)}, t.source
FROM __schema__.job_status_trace_log t
WHERE t.task_id = $1
ORDER BY t.creation_time, CASE t.state
  WHEN 'TASK_RUNNING' THEN 0
  WHEN 'TASK_STAGING' THEN 2
  WHEN 'TASK_ERROR' THEN 2
  ELSE 1
END, t.id`;

const TASK_OF_ATTEMPT = `SELECT l.task_id FROM __schema__.job_execution_log l WHERE l.id = $1`;

const rowOf = (cells: Cells): TraceRow => {
  const text = (index: number): string => cells[index] ?? '';
  return {
    id: text(0),
    job_name: text(1),
    original_task_id: text(2),
    task_id: text(3),
    slave_id: text(4),
    execution_type: text(5),
    sharding_item: text(6),
    state: text(7),
    message: text(8),
    creation_time: text(9),
    source: text(10),
  };
};

/** By the whole task id, or by the attempt's own id at its end. */
export const traceOf = (
  pool: pg.Pool,
  schema: SchemaName,
  task: string,
): TaskEither<StoreError, readonly TraceRow[]> =>
  attempt(async () => {
    const named = isUuid(task.toLowerCase())
      ? (await rowsOf(pool, { text: inSchema(TASK_OF_ATTEMPT, schema) }, [task.toLowerCase()]))[0]?.[0]
      : task;
    if (named === undefined) return [];
    return (await rowsOf(pool, { text: inSchema(TRACE, schema) }, [named])).map(rowOf);
  });
