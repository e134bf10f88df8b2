/** Since when a job of `ready_job` has been ready. A suppressed twin does not make it younger. */

/**
 * Of one without a due time: since it came back last, else since its enqueue. With a history elsewhere there are no events here; then `job`
 * tells, as far as it has been brought.
 */
export const undueSinceSql = (row: string): string => `coalesce(
    (SELECT (e.metadata->>'occurredAt')::timestamptz FROM __schema__.event e
      WHERE ${row}.revision > 0 AND e.stream = 'job-' || ${row}.job AND e.revision = ${row}.revision
        AND e.type IN ('JobReleased', 'JobRequeued')),
    (SELECT (e.data->>'enqueuedAt')::timestamptz FROM __schema__.event e WHERE e.stream = 'job-' || ${row}.job AND e.revision = 0),
    (SELECT j.job_timestamp FROM __schema__.job j WHERE j.job_uuid = ${row}.job)
  )`;

export const readySinceSql = (row: string): string => `coalesce(${row}.due, ${undueSinceSql(row)})`;
