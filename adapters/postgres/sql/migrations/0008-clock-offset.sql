-- By how many milliseconds the database's clock was ahead of the runner's machine at its last renewal. For people: nothing is decided by it.
ALTER TABLE __schema__.runner_presence ADD COLUMN clock_offset_ms bigint;
