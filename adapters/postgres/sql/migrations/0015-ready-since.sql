-- Since when a job is ready, or will be: since its due time, else since it came back, else since its enqueue. With it the oldest ready job
-- of a queue is one step of an index, however many there are and whatever has become of them.
ALTER TABLE __schema__.ready_job ADD COLUMN since timestamptz;
ALTER TABLE __schema__.delayed_job ADD COLUMN since timestamptz;

-- With a history elsewhere there are no events here; then `job` tells, as far as it has been brought.
UPDATE __schema__.ready_job r
SET since = coalesce(
  r.due,
  (SELECT (e.metadata->>'occurredAt')::timestamptz FROM __schema__.event e
    WHERE r.revision > 0 AND e.stream = 'job-' || r.job AND e.type IN ('JobReleased', 'JobRequeued')
    ORDER BY e.revision DESC
    LIMIT 1),
  (SELECT (e.data->>'enqueuedAt')::timestamptz FROM __schema__.event e WHERE e.stream = 'job-' || r.job AND e.revision = 0),
  (SELECT j.job_timestamp FROM __schema__.job j WHERE j.job_uuid = r.job),
  statement_timestamp()
);
UPDATE __schema__.delayed_job SET since = coalesce(due, statement_timestamp());

-- The default is for runners of the version before that are still at work.
ALTER TABLE __schema__.ready_job ALTER COLUMN since SET DEFAULT statement_timestamp(), ALTER COLUMN since SET NOT NULL;
ALTER TABLE __schema__.delayed_job ALTER COLUMN since SET DEFAULT statement_timestamp(), ALTER COLUMN since SET NOT NULL;

CREATE INDEX ready_job_oldest ON __schema__.ready_job (type, wiki, since);
CREATE INDEX delayed_job_oldest ON __schema__.delayed_job (type, wiki, due);

-- As in 0002, with `since`, which is missing where a program of the version before calls. A job may be promoted from delayed_job to
-- ready_job at the same moment: each statement here looks anew, first where the row was, then where it went, and so never misses it; two
-- CTEs of one statement would. Patches change revision, class, priority, due and since, and none of them to null. Gives back nothing.
CREATE OR REPLACE FUNCTION __schema__.settle_ready_job(gone uuid[], put json, patched json)
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
    INSERT INTO __schema__.ready_job (job, wiki, type, class, priority, number, due, revision, since)
    SELECT v.job, v.wiki, v.type, v.class, v.priority, v.number, v.due, v.revision, coalesce(v.since, v.due, statement_timestamp())
    FROM json_to_recordset(put) AS v (
      job uuid, wiki text, type text, class smallint, priority integer, number bigint, due timestamptz, revision bigint, since timestamptz
    )
    WHERE v.due IS NULL OR v.due <= statement_timestamp();
    INSERT INTO __schema__.delayed_job (job, wiki, type, class, priority, number, due, revision, since)
    SELECT v.job, v.wiki, v.type, v.class, v.priority, v.number, v.due, v.revision, coalesce(v.since, v.due, statement_timestamp())
    FROM json_to_recordset(put) AS v (
      job uuid, wiki text, type text, class smallint, priority integer, number bigint, due timestamptz, revision bigint, since timestamptz
    )
    WHERE v.due > statement_timestamp();
  END IF;
  IF patched IS NOT NULL THEN
    UPDATE __schema__.delayed_job t
    SET class = coalesce(v.class, t.class), priority = coalesce(v.priority, t.priority),
      due = coalesce(v.due, t.due), revision = coalesce(v.revision, t.revision),
      since = coalesce(v.since, v.due, t.since)
    FROM json_to_recordset(patched) AS v (
      job uuid, class smallint, priority integer, due timestamptz, revision bigint, since timestamptz
    )
    WHERE t.job = v.job;
    UPDATE __schema__.ready_job t
    SET class = coalesce(v.class, t.class), priority = coalesce(v.priority, t.priority),
      due = coalesce(v.due, t.due), revision = coalesce(v.revision, t.revision),
      since = coalesce(v.since, v.due, t.since)
    FROM json_to_recordset(patched) AS v (
      job uuid, class smallint, priority integer, due timestamptz, revision bigint, since timestamptz
    )
    WHERE t.job = v.job;
  END IF;
END
$$;
