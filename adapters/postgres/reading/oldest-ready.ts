/** How `queues` finds the oldest ready job of each queue: by steps of the indexes of what is ready, however many jobs there are. */
import { undueSinceSql } from '../ready-since.js';

/** Where the first jobs of a group have come back: so many are looked at for one that never did, behind which none is older. */
const LOOKED_AT = 500;
/** Of those before it so many are dated. */
const DATED = 8;

const inGroup =
  'r.class = head.class AND r.type = head.type AND r.wiki = head.wiki AND r.priority = head.priority';

/**
 * Parts of a WITH RECURSIVE: `ready_since` (wiki, type, since) of what has no due time, `due_since` of what has one. A group is (class,
 * type, wiki, priority): one step of the index each, which gives its first job by number. The oldest without due time is that one, or
 * one up to the first that never came back: numbers rise with time. Those with a due time have an index of their own.
 */
export const OLDEST_READY = `
head AS (
  (SELECT r.class, r.type, r.wiki, r.priority, r.job, r.revision, r.due, r.number
  FROM __schema__.ready_job r
  ORDER BY r.class, r.type, r.wiki, r.priority, r.number
  LIMIT 1)
  UNION ALL
  SELECT next.class, next.type, next.wiki, next.priority, next.job, next.revision, next.due, next.number
  FROM head
  CROSS JOIN LATERAL (
    SELECT r.class, r.type, r.wiki, r.priority, r.job, r.revision, r.due, r.number
    FROM __schema__.ready_job r
    WHERE (r.class, r.type, r.wiki, r.priority) > (head.class, head.type, head.wiki, head.priority)
    ORDER BY r.class, r.type, r.wiki, r.priority, r.number
    LIMIT 1
  ) AS next
), due_head AS (
  (SELECT r.class, r.type, r.wiki, r.priority, r.due
  FROM __schema__.ready_job r
  WHERE r.due IS NOT NULL
  ORDER BY r.class, r.type, r.wiki, r.priority, r.due
  LIMIT 1)
  UNION ALL
  SELECT next.class, next.type, next.wiki, next.priority, next.due
  FROM due_head
  CROSS JOIN LATERAL (
    SELECT r.class, r.type, r.wiki, r.priority, r.due
    FROM __schema__.ready_job r
    WHERE r.due IS NOT NULL
      AND (r.class, r.type, r.wiki, r.priority) > (due_head.class, due_head.type, due_head.wiki, due_head.priority)
    ORDER BY r.class, r.type, r.wiki, r.priority, r.due
    LIMIT 1
  ) AS next
), sought AS MATERIALIZED (
  SELECT head.wiki, head.type, coalesce(min(head.number) FILTER (WHERE head.revision = 0 AND head.due IS NULL), 9223372036854775807) AS upto
  FROM head
  GROUP BY head.wiki, head.type
), behind AS MATERIALIZED (
  SELECT head.class, head.type, head.wiki, head.priority, r.job, r.number,
    least(sought.upto, min(r.number) OVER (PARTITION BY head.wiki, head.type)) AS before
  FROM head
  JOIN sought ON sought.wiki = head.wiki AND sought.type = head.type AND head.number < sought.upto
  LEFT JOIN LATERAL (
    SELECT f.job, f.number
    FROM (
      SELECT r.job, r.revision, r.due, r.number FROM __schema__.ready_job r WHERE ${inGroup} ORDER BY r.number LIMIT ${LOOKED_AT}
    ) AS f
    WHERE f.revision = 0 AND f.due IS NULL
    LIMIT 1
  ) AS r ON true
), never_back AS MATERIALIZED (
  SELECT DISTINCT ON (n.wiki, n.type) n.wiki, n.type, n.job, n.number
  FROM (
    SELECT head.wiki, head.type, head.job, head.number FROM head WHERE head.revision = 0 AND head.due IS NULL
    UNION ALL
    SELECT behind.wiki, behind.type, behind.job, behind.number FROM behind WHERE behind.job IS NOT NULL
  ) AS n
  ORDER BY n.wiki, n.type, n.number
), old AS (
  SELECT n.wiki, n.type, n.job, 0 AS revision FROM never_back n
  UNION ALL
  SELECT head.wiki, head.type, r.job, r.revision
  FROM behind head
  CROSS JOIN LATERAL (
    SELECT f.job, f.revision
    FROM (
      SELECT r.job, r.revision, r.due FROM __schema__.ready_job r
      WHERE ${inGroup} AND r.number < head.before
      ORDER BY r.number
      LIMIT ${LOOKED_AT}
    ) AS f
    WHERE f.due IS NULL
    LIMIT ${DATED}
  ) AS r
), ready_since AS (
  SELECT old.wiki, old.type, min(${undueSinceSql('old')}) AS since
  FROM old
  GROUP BY old.wiki, old.type
), due_since AS (
  SELECT d.wiki, d.type, min(d.due) AS since
  FROM (
    SELECT due_head.wiki, due_head.type, due_head.due FROM due_head
    UNION ALL
    (SELECT d.wiki, d.type, d.due FROM __schema__.delayed_job d WHERE d.due <= (SELECT clock_timestamp()) ORDER BY d.due LIMIT ${LOOKED_AT})
  ) AS d
  GROUP BY d.wiki, d.type
)`;
