-- Enqueues that belong to a transaction of their caller's. They become events when it commits: were they events from the start, their
-- positions would hold up every reader for as long as the transaction is open. No row outlives its transaction.
CREATE UNLOGGED TABLE __schema__.enqueue_at_commit (
  n        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  stream   text COLLATE "C" NOT NULL,
  id       uuid NOT NULL,
  type     text COLLATE "C" NOT NULL,
  data     json NOT NULL,
  metadata json NOT NULL,
  -- Rows of the inline tables, by table.
  rows     json NOT NULL
);
CREATE INDEX enqueue_at_commit_stream ON __schema__.enqueue_at_commit (stream);

-- Runs once for each row, at the commit; the first run takes them all. The rows of other transactions are never seen.
CREATE FUNCTION __schema__.append_at_commit() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  added json;
  target text;
  items json;
BEGIN
  WITH taken AS (
    DELETE FROM __schema__.enqueue_at_commit
    RETURNING n, stream, id, type, data, metadata, rows
  ), won AS (
    INSERT INTO __schema__.event (stream, revision, id, type, data, metadata)
    SELECT t.stream, 0, t.id, t.type, t.data, t.metadata
    FROM taken t
    ORDER BY t.n
    ON CONFLICT (stream, revision) DO NOTHING
    RETURNING id
  )
  SELECT json_agg(t.rows) INTO added FROM taken t JOIN won w ON w.id = t.id;

  FOR target, items IN
    SELECT r.key, json_agg(r.value) FROM json_array_elements(added) a, json_each(a.value) r GROUP BY r.key
  LOOP
    IF target = 'ready_job' THEN
      PERFORM __schema__.settle_ready_job('{}', items, NULL);
    ELSE
      EXECUTE format(
        'INSERT INTO __schema__.%1$I SELECT * FROM json_populate_recordset(NULL::__schema__.%1$I, $1)',
        target
      ) USING items;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER append_at_commit AFTER INSERT ON __schema__.enqueue_at_commit
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION __schema__.append_at_commit();
ALTER TABLE __schema__.enqueue_at_commit ENABLE ALWAYS TRIGGER append_at_commit;
