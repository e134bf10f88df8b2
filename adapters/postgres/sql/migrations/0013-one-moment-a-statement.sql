-- One moment for all events of a statement: with a default that has to be computed for each row, COPY inserts row by row, each
-- with a write-ahead record of its own; otherwise a page at a time.
ALTER TABLE __schema__.event
  ALTER COLUMN recorded_at SET DEFAULT date_trunc('milliseconds', statement_timestamp());
