-- Ids that producers chose for jobs that an equal one answered for.
CREATE TABLE __schema__.suppressed_job (
  job      uuid NOT NULL,
  survivor uuid NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (job, survivor)
);

-- The newest root that has begun, however many wait.
CREATE INDEX root_job_begun ON __schema__.root_job (wiki, type, signature, timestamp) WHERE state <> 'waiting';
