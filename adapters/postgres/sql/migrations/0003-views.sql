-- The tables as other programs know them. __schema__ stands for the quoted name of the ledger's schema.

-- MediaWiki's job table as it was in each range of versions (seed 000): the same rows, that version's columns, and times as
-- the 14 digits that MediaWiki writes.
CREATE VIEW __schema__.job_1_6 AS
SELECT job_id, job_cmd, job_namespace, job_title, job_params
FROM __schema__.job;

CREATE VIEW __schema__.job_1_10 AS
SELECT job_id, job_cmd, job_namespace, job_title, job_params
FROM __schema__.job;

CREATE VIEW __schema__.job_1_19 AS
SELECT
  job_id,
  job_cmd,
  job_namespace,
  job_title,
  to_char(job_timestamp AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS') AS job_timestamp,
  job_params
FROM __schema__.job;

CREATE VIEW __schema__.job_1_21 AS
SELECT
  job_id,
  job_cmd,
  job_namespace,
  job_title,
  to_char(job_timestamp AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS') AS job_timestamp,
  job_params,
  job_random,
  job_attempts,
  job_token,
  to_char(job_token_timestamp AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS') AS job_token_timestamp,
  job_sha1
FROM __schema__.job;

CREATE VIEW __schema__.job_1_33 AS
SELECT
  job_id,
  job_cmd,
  job_namespace,
  job_title,
  to_char(job_timestamp AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS') AS job_timestamp,
  job_params,
  job_random,
  job_attempts,
  job_token,
  to_char(job_token_timestamp AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS') AS job_token_timestamp,
  job_sha1
FROM __schema__.job;

CREATE VIEW __schema__.job_1_36 AS
SELECT
  job_id,
  job_cmd,
  job_namespace,
  job_title,
  to_char(job_timestamp AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS') AS job_timestamp,
  job_params,
  job_random,
  job_attempts,
  job_token,
  to_char(job_token_timestamp AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS') AS job_token_timestamp,
  job_sha1
FROM __schema__.job;

-- ElasticJob's console, as shipped, speaks H2's dialect to every database and reads booleans as integers. It finds its tables by
-- name, so they stand in a schema of their own: <schema>_elasticjob_ui, reached by currentSchema in its JDBC URL.
DO $$
DECLARE
  ledger text := (parse_ident('__schema__'))[1];
  console text := ledger || '_elasticjob_ui';
BEGIN
  EXECUTE format('CREATE SCHEMA %I', console);
  EXECUTE format(
    'CREATE VIEW %I.job_execution_log AS
     SELECT id, job_name, task_id, hostname, ip, sharding_item, execution_source, failure_cause,
       is_success::integer AS is_success, start_time, complete_time
     FROM %I.job_execution_log', console, ledger);
  EXECUTE format(
    'CREATE VIEW %I.job_status_trace_log AS
     SELECT id, job_name, original_task_id, task_id, slave_id, execution_type, sharding_item, state, message,
       creation_time, source
     FROM %I.job_status_trace_log', console, ledger);
END
$$;
