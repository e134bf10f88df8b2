-- Jobs whose streams went to an archive, and where to read of it: `entry` is a revision in the stream `ledger`.
CREATE TABLE __schema__.pruned_job (
  job      uuid PRIMARY KEY,
  number   bigint NOT NULL,
  revision bigint NOT NULL,
  entry    bigint NOT NULL
);
CREATE INDEX pruned_job_number ON __schema__.pruned_job (number);

-- Only used with a history elsewhere, where no transaction spans tables and history: the tables have let go of these jobs, and what is
-- left to do is to append the event and to delete the streams. At most one row, until the next `prune` at the latest.
CREATE TABLE __schema__.prune_outbox (
  id       uuid PRIMARY KEY,
  data     json NOT NULL,
  metadata json NOT NULL,
  -- The revision of the stream `ledger` behind which it was last tried; -1: as its first event; null: it was not tried yet.
  expected bigint,
  one      boolean NOT NULL DEFAULT true UNIQUE CHECK (one)
);

-- Of this transaction, if it has appended one: the event by which finished streams are pruned.
CREATE FUNCTION __schema__.pruning() RETURNS json
LANGUAGE sql STABLE AS $$
  SELECT e.data
  FROM (
    SELECT l.data, l.type, l.xmin
    FROM __schema__.event l
    WHERE l.stream = 'ledger' AND __schema__.only_by_index(l.revision)
    ORDER BY l.revision DESC
    LIMIT 1
  ) e
  WHERE e.type = 'HistoryPruned' AND e.xmin = pg_catalog.pg_current_xact_id_if_assigned()::xid
$$;

-- As in 0001; but events may go in a transaction that has appended the event which says so. refuse_loss looks at what went.
CREATE OR REPLACE FUNCTION __schema__.refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND __schema__.pruning() IS NOT NULL THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION USING
    ERRCODE = 'P0J01',
    MESSAGE = format('%s refused: the history in %I.%I is append-only', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME),
    DETAIL = 'Every table of the ledger is derived from these events; changing one would make all of them wrong unnoticed.',
    HINT = 'Append an event that corrects the matter, or use the jobledger commands that do (cancel, erase, prune).';
END
$$;

-- What may go: whole streams, as that event names them, of jobs that have succeeded or were superseded, after which nothing but an
-- erasure can come. It holds for everyone: superusers, owners, and the pruner itself.
CREATE FUNCTION __schema__.refuse_loss() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  lost text;
BEGIN
  SELECT s.stream INTO lost
  FROM (
    SELECT g.stream, count(*) AS events, max(g.revision) AS last,
      max(g.revision) FILTER (WHERE g.type <> 'JobErased') AS ended,
      max(g.revision) FILTER (WHERE g.type IN ('AttemptSucceeded', 'JobSuperseded')) AS finished
    FROM gone g
    GROUP BY g.stream
  ) s
  LEFT JOIN (
    SELECT 'job-' || (j.value->>'id') AS stream, (j.value->>'revision')::bigint AS last
    FROM json_array_elements(__schema__.pruning()->'jobs') j
  ) named ON named.stream = s.stream AND named.last = s.last
  WHERE named.stream IS NULL
    OR s.finished IS DISTINCT FROM s.ended
    OR s.events <> s.last + 1
    OR EXISTS (
      SELECT FROM __schema__.event e WHERE e.stream = s.stream AND __schema__.only_by_index(e.revision)
    )
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING
      ERRCODE = 'P0J01',
      MESSAGE = format('%s refused: the history in %I.%I is append-only', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME),
      DETAIL = format('The stream %s is not a whole one of a finished job that the HistoryPruned of this transaction names.', lost),
      HINT = 'Finished jobs go by "jobledger prune", which archives them first.';
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER refuse_loss AFTER DELETE ON __schema__.event
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION __schema__.refuse_loss();
ALTER TABLE __schema__.event ENABLE ALWAYS TRIGGER refuse_loss;
