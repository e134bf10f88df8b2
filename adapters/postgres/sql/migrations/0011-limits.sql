-- Operational: derived from nothing, never compared. What was claimed under a limit, by the id of its scope in `queue`.

-- A slot is taken while the last event of its job is a claim or a start; the next claim clears those that are not.
CREATE TABLE __schema__.claim_slot (
  scope uuid NOT NULL,
  job   uuid NOT NULL,
  PRIMARY KEY (scope, job)
);

-- Scopes whose slots are complete: jobs that were claimed before there was a limit have theirs.
CREATE TABLE __schema__.claim_scope (
  scope uuid PRIMARY KEY
);

-- A row a batch of claims. `items_paid_at`: when the work items of all claims so far fit into the time that has passed.
CREATE TABLE __schema__.claim_pace (
  scope         uuid NOT NULL,
  at            timestamptz NOT NULL,
  jobs          integer NOT NULL,
  items         integer NOT NULL,
  items_paid_at timestamptz,
  PRIMARY KEY (scope, at)
);

ALTER TABLE __schema__.claim_slot SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000
);
ALTER TABLE __schema__.claim_pace SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000
);
