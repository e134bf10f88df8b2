-- The tables that are derived from the history, and the operational ones beside them.
-- __schema__ stands for the quoted name of the ledger's schema.

-- Job numbers (job_id): one rising sequence a ledger.
CREATE SEQUENCE __schema__.job_number AS bigint CACHE 1;

-- Which of the two a waiting job stands in depends on the clock; together they are the projection `ready_job`.
CREATE TABLE __schema__.ready_job (
  job      uuid PRIMARY KEY,
  wiki     text COLLATE "C" NOT NULL,
  type     text COLLATE "C" NOT NULL,
  class    smallint NOT NULL,
  priority integer NOT NULL,
  number   bigint NOT NULL,
  due      timestamptz,
  revision bigint NOT NULL
);
CREATE INDEX ready_job_order ON __schema__.ready_job (class, wiki, type, priority, number);

CREATE TABLE __schema__.delayed_job (
  job      uuid PRIMARY KEY,
  wiki     text COLLATE "C" NOT NULL,
  type     text COLLATE "C" NOT NULL,
  class    smallint NOT NULL,
  priority integer NOT NULL,
  number   bigint NOT NULL,
  due      timestamptz,
  revision bigint NOT NULL
);
CREATE INDEX delayed_job_due ON __schema__.delayed_job (due);

-- A row is a waiting job, or one that has succeeded and names the revision its last attempt began at.
CREATE TABLE __schema__.duplicate (
  job               uuid PRIMARY KEY,
  wiki              text COLLATE "C" NOT NULL,
  type              text COLLATE "C" NOT NULL,
  sha1              text COLLATE "C" NOT NULL,
  number            bigint NOT NULL,
  revision          bigint,
  is_survivor       boolean NOT NULL,
  enqueued_revision bigint,
  begun_revision    bigint,
  root_timestamp    text COLLATE "C"
);
CREATE INDEX duplicate_survivor ON __schema__.duplicate (wiki, type, sha1, number) WHERE is_survivor;
CREATE INDEX duplicate_begun ON __schema__.duplicate (wiki, type, sha1) WHERE begun_revision IS NOT NULL;

CREATE TABLE __schema__.root_job (
  job       uuid PRIMARY KEY,
  wiki      text COLLATE "C" NOT NULL,
  type      text COLLATE "C" NOT NULL,
  signature text COLLATE "C" NOT NULL,
  timestamp text COLLATE "C" NOT NULL,
  state     text COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'begun', 'succeeded'))
);
CREATE INDEX root_job_family ON __schema__.root_job (wiki, type, signature, timestamp);

CREATE TABLE __schema__.claimed_job (
  job           uuid PRIMARY KEY,
  revision      bigint NOT NULL,
  token         text COLLATE "C" NOT NULL,
  runner        text COLLATE "C" NOT NULL,
  lease_expires timestamptz NOT NULL
);
CREATE INDEX claimed_job_lease ON __schema__.claimed_job (lease_expires);

-- MediaWiki's table in its PostgreSQL types (seed 000), and our own columns behind its eleven.
CREATE TABLE __schema__.job (
  job_id                bigint NOT NULL,
  job_cmd               text COLLATE "C" NOT NULL DEFAULT '' CHECK (octet_length(job_cmd) <= 60),
  job_namespace         integer NOT NULL,
  job_title             text COLLATE "C" NOT NULL CHECK (octet_length(job_title) <= 255),
  job_timestamp         timestamptz,
  job_params            text COLLATE "C" NOT NULL,
  job_random            integer NOT NULL DEFAULT 0 CHECK (job_random >= 0),
  job_attempts          integer NOT NULL DEFAULT 0 CHECK (job_attempts >= 0),
  job_token             text COLLATE "C" NOT NULL DEFAULT '' CHECK (octet_length(job_token) <= 32),
  job_token_timestamp   timestamptz,
  job_sha1              text COLLATE "C" NOT NULL DEFAULT '' CHECK (octet_length(job_sha1) <= 32),
  job_params_raw        bytea,
  job_uuid              uuid NOT NULL PRIMARY KEY,
  job_wiki              text COLLATE "C" NOT NULL,
  job_revision          bigint NOT NULL,
  job_class             text COLLATE "C" NOT NULL CHECK (job_class IN ('high', 'normal', 'low')),
  job_priority          integer NOT NULL,
  job_release_timestamp timestamptz,
  job_lease_expires     timestamptz,
  job_state             text COLLATE "C" NOT NULL CHECK (job_state IN ('Waiting', 'Claimed', 'Running', 'Abandoned')),
  job_root_signature    text COLLATE "C",
  job_request_id        text COLLATE "C"
);
CREATE UNIQUE INDEX job_id ON __schema__.job (job_id);
CREATE INDEX job_sha1 ON __schema__.job (job_sha1);
CREATE INDEX job_cmd_token ON __schema__.job (job_cmd, job_token, job_random);
CREATE INDEX job_cmd_token_id ON __schema__.job (job_cmd, job_token, job_id);
-- The seed's index has the first 128 bytes of the params. Their first 128 characters hold those, and cutting between characters
-- never fails. MediaWiki's own PostgreSQL schema takes all of them, and then refuses large jobs.
CREATE INDEX job_cmd ON __schema__.job (job_cmd, job_namespace, job_title, "left"(job_params, 128));
CREATE INDEX job_timestamp ON __schema__.job (job_timestamp);

-- Seed 003, column by column.
CREATE TABLE __schema__.job_execution_log (
  id               varchar(40) COLLATE "C" NOT NULL PRIMARY KEY,
  job_name         varchar(100) NOT NULL,
  task_id          varchar(1000) NOT NULL,
  hostname         varchar(255) NOT NULL,
  ip               varchar(50) NOT NULL,
  sharding_item    integer NOT NULL,
  execution_source varchar(20) NOT NULL,
  failure_cause    varchar(2000),
  is_success       boolean NOT NULL,
  start_time       timestamp NOT NULL,
  complete_time    timestamp
);

CREATE TABLE __schema__.job_status_trace_log (
  id               varchar(40) COLLATE "C" NOT NULL PRIMARY KEY,
  job_name         varchar(100) NOT NULL,
  original_task_id varchar(1000) NOT NULL,
  task_id          varchar(1000) COLLATE "C" NOT NULL,
  slave_id         varchar(1000) NOT NULL,
  execution_type   varchar(20) NOT NULL,
  sharding_item    varchar(255) NOT NULL,
  state            varchar(20) NOT NULL,
  message          varchar(2000) NOT NULL,
  creation_time    timestamp NOT NULL,
  source           varchar(50) NOT NULL DEFAULT 'LITE_EXECUTOR'
);
CREATE INDEX task_id_state_index ON __schema__.job_status_trace_log (task_id, state);

CREATE TABLE __schema__.queue_summary (
  wiki       text COLLATE "C" NOT NULL,
  type       text COLLATE "C" NOT NULL,
  waiting    bigint NOT NULL DEFAULT 0,
  claimed    bigint NOT NULL DEFAULT 0,
  abandoned  bigint NOT NULL DEFAULT 0,
  enqueued   bigint NOT NULL DEFAULT 0,
  succeeded  bigint NOT NULL DEFAULT 0,
  failed     bigint NOT NULL DEFAULT 0,
  suppressed bigint NOT NULL DEFAULT 0,
  superseded bigint NOT NULL DEFAULT 0,
  retried    bigint NOT NULL DEFAULT 0,
  cancelled  bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (wiki, type)
);

CREATE TABLE __schema__.queue_due (
  wiki   text COLLATE "C" NOT NULL,
  type   text COLLATE "C" NOT NULL,
  minute timestamptz NOT NULL,
  jobs   bigint NOT NULL,
  PRIMARY KEY (wiki, type, minute)
);

-- Operational: derived from nothing, never compared, may be lost.
CREATE TABLE __schema__.runner_presence (
  runner        text COLLATE "C" PRIMARY KEY,
  host          text NOT NULL,
  started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  renewed_until timestamptz NOT NULL,
  lost          boolean NOT NULL DEFAULT false
);

-- Projections that met an event they cannot apply; the row goes when the projection moves on.
CREATE TABLE __schema__.stopped (
  projection text COLLATE "C" PRIMARY KEY,
  position   bigint NOT NULL,
  stream     text COLLATE "C" NOT NULL,
  revision   bigint NOT NULL,
  reason     text NOT NULL,
  stopped_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Rows that come and go: vacuumed early and at full speed; no statistics of a table that was nearly empty for a moment (0001).
ALTER TABLE __schema__.ready_job SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000
);
ALTER TABLE __schema__.delayed_job SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000
);
ALTER TABLE __schema__.duplicate SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000
);
ALTER TABLE __schema__.root_job SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000
);
ALTER TABLE __schema__.claimed_job SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000
);
ALTER TABLE __schema__.job SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000
);

-- What an append changes of jobs that wait already. A job may be promoted from delayed_job to ready_job at the same moment: each
-- statement here looks anew, first where the row was, then where it went, and so never misses it; two CTEs of one statement
-- would. Patches change revision, class, priority and due, and none of them to null. Gives back nothing.
CREATE FUNCTION __schema__.settle_ready_job(gone uuid[], put json, patched json)
RETURNS SETOF __schema__.ready_job
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  leaving uuid[] := gone;
BEGIN
  IF put IS NOT NULL THEN
    leaving := leaving || ARRAY(SELECT v.job FROM json_to_recordset(put) AS v (job uuid));
  END IF;
  IF cardinality(leaving) > 0 THEN
    DELETE FROM __schema__.delayed_job d WHERE d.job = ANY (leaving);
    DELETE FROM __schema__.ready_job r WHERE r.job = ANY (leaving);
  END IF;
  IF put IS NOT NULL THEN
    INSERT INTO __schema__.ready_job (job, wiki, type, class, priority, number, due, revision)
    SELECT v.job, v.wiki, v.type, v.class, v.priority, v.number, v.due, v.revision
    FROM json_to_recordset(put) AS v (
      job uuid, wiki text, type text, class smallint, priority integer, number bigint, due timestamptz, revision bigint
    )
    WHERE v.due IS NULL OR v.due <= statement_timestamp();
    INSERT INTO __schema__.delayed_job (job, wiki, type, class, priority, number, due, revision)
    SELECT v.job, v.wiki, v.type, v.class, v.priority, v.number, v.due, v.revision
    FROM json_to_recordset(put) AS v (
      job uuid, wiki text, type text, class smallint, priority integer, number bigint, due timestamptz, revision bigint
    )
    WHERE v.due > statement_timestamp();
  END IF;
  IF patched IS NOT NULL THEN
    UPDATE __schema__.delayed_job t
    SET class = coalesce(v.class, t.class), priority = coalesce(v.priority, t.priority),
      due = coalesce(v.due, t.due), revision = coalesce(v.revision, t.revision)
    FROM json_to_recordset(patched) AS v (
      job uuid, class smallint, priority integer, due timestamptz, revision bigint
    )
    WHERE t.job = v.job;
    UPDATE __schema__.ready_job t
    SET class = coalesce(v.class, t.class), priority = coalesce(v.priority, t.priority),
      due = coalesce(v.due, t.due), revision = coalesce(v.revision, t.revision)
    FROM json_to_recordset(patched) AS v (
      job uuid, class smallint, priority integer, due timestamptz, revision bigint
    )
    WHERE t.job = v.job;
  END IF;
END
$$;
