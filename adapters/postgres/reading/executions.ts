/** Rows of `job_execution_log` (seed 003), oldest first. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { isoSql } from '../iso.js';
import type pg from 'pg';
import type { Execution, ExecutionFilter, OnPage } from '../../../projections/reading-desk.js';
import { inSchema, type SchemaName } from '../schema-name.js';
import type { Cells } from '../statement.js';
import type { StoreError } from '../../../domain/errors.js';
import { streamRows } from './stream-rows.js';

const utc = (column: string): string => isoSql(`(${column} AT TIME ZONE 'UTC')`);

const EXECUTIONS = `
SELECT l.id, l.job_name, l.task_id, l.hostname, l.ip, l.sharding_item::text, l.execution_source, l.failure_cause, l.is_success::text,
  ${utc('l.start_time')}, ${utc('l.complete_time')}
FROM __schema__.job_execution_log l
WHERE ($1::text IS NULL OR l.job_name = $1)
  AND ($2::boolean IS NOT TRUE OR (NOT l.is_success AND l.complete_time IS NOT NULL))
  AND ($3::timestamptz IS NULL OR l.start_time >= $3::timestamptz AT TIME ZONE 'UTC')
ORDER BY l.start_time, l.id`;

const executionOf = (cells: Cells): Execution => {
  const text = (index: number): string => cells[index] ?? '';
  return {
    id: text(0),
    job_name: text(1),
    task_id: text(2),
    hostname: text(3),
    ip: text(4),
    sharding_item: Number(text(5)),
    execution_source: text(6),
    failure_cause: cells[7] ?? null,
    is_success: text(8) === 'true',
    start_time: text(9),
    complete_time: cells[10] ?? null,
  };
};

export const streamExecutions = (
  pool: pg.Pool,
  schema: SchemaName,
  { jobName, failed, since }: ExecutionFilter,
  onPage: OnPage<Execution>,
): TaskEither<StoreError, number> =>
  streamRows(pool, inSchema(EXECUTIONS, schema), [jobName ?? null, failed ?? null, since ?? null], (rows) =>
    onPage(rows.map(executionOf)),
  );
