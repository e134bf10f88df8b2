/** Since when a job of `ready_job` has been ready. A suppressed twin does not make it younger. */

// With a history elsewhere there are no events here; then `job` tells, as far as it has been brought.
export const readySinceSql = (row: string): string => `coalesce(${row}.due, (
  SELECT max(e.recorded_at)
  FROM __schema__.event e
  WHERE e.stream = 'job-' || ${row}.job AND e.revision <= ${row}.revision
    AND e.type IN ('JobEnqueued', 'JobReleased', 'JobRequeued')
), (SELECT j.job_timestamp FROM __schema__.job j WHERE j.job_uuid = ${row}.job))`;
