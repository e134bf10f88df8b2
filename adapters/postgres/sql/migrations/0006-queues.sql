-- 3 stands for the class of the job's queue: until now no job could say that it is of the normal class itself.
UPDATE __schema__.ready_job SET class = 3 WHERE class = 1;
UPDATE __schema__.delayed_job SET class = 3 WHERE class = 1;

-- What operators have decided about queues: settings and pauses, a row a scope. An empty wiki or type means all of them.
CREATE TABLE __schema__.queue (
  id               uuid PRIMARY KEY,
  wiki             text COLLATE "C" NOT NULL,
  type             text COLLATE "C" NOT NULL,
  class            text COLLATE "C" CHECK (class IN ('high', 'normal', 'low')),
  weight           integer CHECK (weight > 0),
  pick_order       text COLLATE "C" CHECK (pick_order IN ('fifo', 'timestamp', 'random')),
  running          integer CHECK (running > 0),
  per_second       double precision CHECK (per_second > 0),
  items_per_second double precision CHECK (items_per_second > 0),
  UNIQUE (wiki, type)
);

CREATE TABLE __schema__.queue_pause (
  id    uuid PRIMARY KEY,
  wiki  text COLLATE "C" NOT NULL,
  type  text COLLATE "C" NOT NULL,
  since timestamptz NOT NULL,
  by    text COLLATE "C" NOT NULL,
  why   text COLLATE "C" NOT NULL,
  UNIQUE (wiki, type)
);

-- By type before wiki: a runner of one type steps through the wikis that have it, whatever the other types hold.
DROP INDEX __schema__.ready_job_order;
CREATE INDEX ready_job_order ON __schema__.ready_job (class, type, wiki, priority, number);
-- Rows that were delayed or came back: the others became ready in the order of their numbers.
CREATE INDEX ready_job_since ON __schema__.ready_job (class, type, wiki, priority, due) WHERE due IS NOT NULL;
