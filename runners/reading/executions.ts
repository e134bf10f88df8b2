/** Rows of `job_execution_log` (seed 003), oldest first. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { isoSql } from '../../adapters/postgres/iso.js';
import { inSchema } from '../../adapters/postgres/schema-name.js';
import type { Cells } from '../../adapters/postgres/statement.js';
import type { StoreError } from '../../domain/errors.js';
import type { Ledger } from '../ledger.js';
import { streamRows } from './stream-rows.js';

/** Members are the table's own columns; times are UTC. */
export interface Execution {
  readonly id: string;
  readonly job_name: string;
  readonly task_id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly sharding_item: number;
  readonly execution_source: string;
  readonly failure_cause: string | null;
  readonly is_success: boolean;
  readonly start_time: string;
  readonly complete_time: string | null;
}

export interface ExecutionFilter {
  readonly jobName?: string | undefined;
  readonly failed?: boolean | undefined;
  /** ISO-8601 UTC. */
  readonly since?: string | undefined;
}

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
  { pool, schema }: Pick<Ledger, 'pool' | 'schema'>,
  { jobName, failed, since }: ExecutionFilter,
  onPage: (page: readonly Execution[]) => Promise<boolean>,
): TaskEither<StoreError, number> =>
  streamRows(pool, inSchema(EXECUTIONS, schema), [jobName ?? null, failed ?? null, since ?? null], (rows) =>
    onPage(rows.map(executionOf)),
  );
