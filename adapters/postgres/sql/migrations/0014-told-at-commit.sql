-- Two open transactions may enqueue under one id: neither can see the other, and which is first is known at the commit alone. The job is
-- that of the first; the other is told by a notice, on its own connection, that its enqueue has changed nothing.
CREATE OR REPLACE FUNCTION __schema__.append_at_commit() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  added json;
  known text;
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
  SELECT
    json_agg(t.rows) FILTER (WHERE w.id IS NOT NULL),
    string_agg(substr(t.stream, 5), ', ' ORDER BY t.n) FILTER (WHERE w.id IS NULL)
  INTO added, known
  FROM taken t
  LEFT JOIN won w ON w.id = t.id;

  IF known IS NOT NULL THEN
    RAISE NOTICE 'already enqueued by another transaction meanwhile, so that this one adds nothing: %', known;
  END IF;

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
