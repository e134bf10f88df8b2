CREATE TABLE IF NOT EXISTS __schema__.migration (
  number     integer PRIMARY KEY CHECK (number > 0),
  name       text COLLATE "C" NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
