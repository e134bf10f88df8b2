-- The ledger whose history these tables are made from, where it is kept on an EventStoreDB: checkpoints hold that store's positions.
CREATE TABLE __schema__.history_elsewhere (
  ledger text COLLATE "C" NOT NULL,
  one    boolean PRIMARY KEY DEFAULT true CHECK (one)
);

-- Operational, and only used with a history elsewhere: rows of ready_job that a runner is about to claim, at the revision it saw. The
-- projector removes the row behind the claim; until then nobody else tries.
CREATE UNLOGGED TABLE __schema__.reservation (
  job      uuid PRIMARY KEY,
  revision bigint NOT NULL,
  until    timestamptz NOT NULL
);
CREATE INDEX reservation_until ON __schema__.reservation (until);
