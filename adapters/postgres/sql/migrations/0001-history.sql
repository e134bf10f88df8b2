-- The history, its guards, and the two operational tables of every projector.
-- __schema__ stands for the quoted name of the ledger's schema.

CREATE TABLE __schema__.event (
  position    bigint GENERATED ALWAYS AS IDENTITY (CACHE 1),
  stream      text COLLATE "C" NOT NULL CHECK (stream <> ''),
  revision    bigint NOT NULL CHECK (revision >= 0),
  id          uuid NOT NULL,
  type        text COLLATE "C" NOT NULL CHECK (type <> ''),
  data        json NOT NULL,
  metadata    json NOT NULL,
  recorded_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  PRIMARY KEY (stream, revision),
  UNIQUE (position)
);

-- Prepared statements outlive what the planner knew: a plan made while the table was small scans it whole, and is kept while the
-- table grows (an append of one event: 106 ms at 120,000). A condition said to be dear costs most where all rows are read, so
-- that a look-up by key goes through the index even then; it runs once for each row found.
CREATE FUNCTION __schema__.only_by_index(revision bigint) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
  RETURN true;
END
$$;

-- Readers must know who may still commit an early position: every appender holds this shared lock from before its first
-- position is drawn until after its commit is visible. Nobody ever takes it exclusively. 27244 is 'jl'.
CREATE FUNCTION __schema__.mark_appender() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.pg_advisory_xact_lock_shared(27244, TG_RELID::integer);
  RETURN NULL;
END
$$;

CREATE TRIGGER mark_appender BEFORE INSERT ON __schema__.event
FOR EACH STATEMENT EXECUTE FUNCTION __schema__.mark_appender();
ALTER TABLE __schema__.event ENABLE ALWAYS TRIGGER mark_appender;

CREATE FUNCTION __schema__.refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING
    ERRCODE = 'P0J01',
    MESSAGE = format('%s refused: the history in %I.%I is append-only', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME),
    DETAIL = 'Every table of the ledger is derived from these events; changing one would make all of them wrong unnoticed.',
    HINT = 'Append an event that corrects the matter, or use the jobledger commands that do (cancel, erase, prune).';
END
$$;

CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON __schema__.event
FOR EACH STATEMENT EXECUTE FUNCTION __schema__.refuse_change();
ALTER TABLE __schema__.event ENABLE ALWAYS TRIGGER refuse_change;

-- What a reader needs to find the end of complete history: first the last position drawn, then, in a statement of its own,
-- who holds the appenders' lock. The other order loses events. The reader's own transaction sees what it appended itself.
CREATE FUNCTION __schema__.observe_appenders(
  OUT drawn bigint,
  OUT holders text[],
  OUT server_started text,
  OUT isolation text
)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  SELECT s.last_value - (NOT s.is_called)::integer INTO drawn
  FROM __schema__.event_position_seq s;

  SELECT coalesce(array_agg(l.virtualtransaction), '{}') INTO holders
  FROM pg_catalog.pg_locks l
  WHERE l.locktype = 'advisory'
    AND l.classid = 27244
    AND l.objid = '__schema__.event'::regclass::oid
    AND l.objsubid = 2
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
    AND l.pid IS DISTINCT FROM pg_backend_pid();

  server_started := extract(epoch FROM pg_postmaster_start_time())::text;
  isolation := current_setting('transaction_isolation');
END
$$;

CREATE TABLE __schema__.checkpoint (
  projection text COLLATE "C" PRIMARY KEY,
  position   bigint NOT NULL CHECK (position >= 0),
  version    integer NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE __schema__.parked (
  projection text COLLATE "C" NOT NULL,
  position   bigint NOT NULL,
  stream     text COLLATE "C" NOT NULL,
  revision   bigint NOT NULL,
  reason     text NOT NULL,
  parked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (projection, position)
);
