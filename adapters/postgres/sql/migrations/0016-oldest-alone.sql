-- For what asks for the oldest by these very conditions, and for nothing else: with stale statistics a pick would take such an index for as
-- good as the one in its order, and read and sort a whole queue.
DROP INDEX __schema__.ready_job_oldest;
DROP INDEX __schema__.delayed_job_oldest;
CREATE INDEX ready_job_oldest ON __schema__.ready_job (type, wiki, since) WHERE since > '-infinity';
CREATE INDEX delayed_job_oldest ON __schema__.delayed_job (type, wiki, due) WHERE due > '-infinity';
