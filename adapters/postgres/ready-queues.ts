/** Which queues have ready jobs, with the settings in force, and how long the heads of some of them have waited. */
import * as t from 'io-ts';
import { classRank, OF_ITS_QUEUE } from '../../domain/job/facts.js';
import { queueKey } from '../../domain/queue/scope.js';
import { pausesInForce, settingsInForce } from '../../domain/queue/settings.js';
import type { QueueDecisions, QueueScope, ReadyQueue } from '../../projections/ports.js';
import { DECISIONS, decisionsIn } from './queue-book.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Queryable } from './statement.js';

// Loose scans: one step of the index per type, then one per wiki that has it, however many jobs there are; a look each at those that
// are asked for by name.
const READY = `
WITH RECURSIVE kind AS (
  (SELECT r.class, r.type FROM __schema__.ready_job r WHERE $1::text[] IS NULL ORDER BY r.class, r.type LIMIT 1)
  UNION ALL
  SELECT next.class, next.type
  FROM kind
  CROSS JOIN LATERAL (
    SELECT r.class, r.type
    FROM __schema__.ready_job r
    WHERE (r.class, r.type) > (kind.class, kind.type)
    ORDER BY r.class, r.type
    LIMIT 1
  ) AS next
), wanted AS (
  SELECT kind.class, kind.type FROM kind
  UNION ALL
  SELECT place.class::smallint, named.type
  FROM generate_series(0, ${OF_ITS_QUEUE}) AS place(class)
  CROSS JOIN (SELECT DISTINCT n.type FROM unnest($1) AS n(type)) AS named
), found AS (
  SELECT wanted.class, wanted.type, first.wiki
  FROM wanted
  CROSS JOIN LATERAL (
    SELECT r.wiki
    FROM __schema__.ready_job r
    WHERE r.class = wanted.class AND r.type = wanted.type
    ORDER BY r.wiki
    LIMIT 1
  ) AS first
  WHERE $2::text[] IS NULL
  UNION ALL
  SELECT found.class, found.type, next.wiki
  FROM found
  CROSS JOIN LATERAL (
    SELECT r.wiki
    FROM __schema__.ready_job r
    WHERE r.class = found.class AND r.type = found.type AND r.wiki > found.wiki
    ORDER BY r.wiki
    LIMIT 1
  ) AS next
), place AS (
  SELECT found.class, found.type, found.wiki FROM found
  UNION ALL
  SELECT wanted.class, wanted.type, named.wiki
  FROM wanted
  CROSS JOIN (SELECT DISTINCT n.wiki FROM unnest($2) AS n(wiki)) AS named
  CROSS JOIN LATERAL (
    SELECT FROM __schema__.ready_job r
    WHERE r.class = wanted.class AND r.type = wanted.type AND r.wiki = named.wiki
    LIMIT 1
  ) AS first
)
SELECT
  (SELECT json_agg(json_build_array(place.class, place.type, place.wiki))::text FROM place),
  ${DECISIONS},
  ((SELECT min(d.due) FROM __schema__.delayed_job d) <= clock_timestamp())::text`;

// The first to be picked, and the first of the last priority: whichever waits longer.
const WAITING = `
SELECT coalesce(max(extract(epoch FROM clock_timestamp() - head.since)), 0)::text
FROM unnest($1::smallint[], $2::text[], $3::text[]) AS asked(class, type, wiki)
CROSS JOIN LATERAL (
  (SELECT r.since
  FROM __schema__.ready_job r
  WHERE r.class = asked.class AND r.type = asked.type AND r.wiki = asked.wiki
  ORDER BY r.priority, r.number
  LIMIT 1)
  UNION ALL
  (SELECT r.since
  FROM __schema__.ready_job r
  WHERE r.class = asked.class AND r.type = asked.type AND r.wiki = asked.wiki AND r.priority = (
    SELECT l.priority
    FROM __schema__.ready_job l
    WHERE l.class = asked.class AND l.type = asked.type AND l.wiki = asked.wiki
    ORDER BY l.priority DESC, l.number DESC
    LIMIT 1
  )
  ORDER BY r.number
  LIMIT 1)
) AS head`;

const Places = t.array(t.tuple([t.number, t.string, t.string]));

const placesIn = (json: string | null | undefined): t.TypeOf<typeof Places> => {
  const found: unknown = JSON.parse(json ?? '[]');
  if (!Places.is(found)) throw new Error('the table of ready jobs holds what cannot be');
  return found;
};

const hasLimits = ({ settings }: QueueDecisions): boolean =>
  settings.some((each) => each.settings.limits !== undefined);

/** Queues that are not paused. Jobs of their queue's class and jobs given that same class are one queue. */
const queuesOf = (found: t.TypeOf<typeof Places>, decisions: QueueDecisions): readonly ReadyQueue[] => {
  const inForce = settingsInForce(decisions.settings);
  const isPaused = pausesInForce(decisions.pauses.map(({ scope }) => scope));
  const mayBeLimited = hasLimits(decisions);
  const queues = new Map<string, ReadyQueue>();
  for (const [place, type, wiki] of found) {
    if (isPaused({ wiki, type })) continue;
    const settings = inForce({ wiki, type });
    const rank = place === OF_ITS_QUEUE ? classRank(settings.class) : place;
    const key = `${rank}\n${queueKey({ wiki, type })}`;
    const places = [...(queues.get(key)?.places ?? []), place];
    const { weight, order } = settings;
    queues.set(key, { places, class: rank, wiki, type, weight, order, mayBeLimited });
  }
  return [...queues.values()];
};

export interface Found {
  readonly queues: readonly ReadyQueue[];
  /** Some queue in scope has ready jobs, though it may be paused. */
  readonly isAny: boolean;
  /** A delayed job has fallen due and is not among the ready ones yet. */
  readonly isSomethingDue: boolean;
}

export interface ReadyQueues {
  readonly read: (db: Queryable, scope: QueueScope) => Promise<Found>;
  /** The longest that a head of these queues has waited, in milliseconds. */
  readonly longestWait: (db: Queryable, queues: readonly ReadyQueue[]) => Promise<number>;
}

export const readyQueueStatements = (schema: SchemaName): ReadyQueues => {
  const ready = prepared('ready-queues', inSchema(READY, schema));
  const waiting = prepared('longest-wait', inSchema(WAITING, schema));
  return {
    read: async (db, { types, wikis }) => {
      const [[found, settings, pauses, isDue] = []] = await rowsOf(db, ready, [types ?? null, wikis ?? null]);
      const places = placesIn(found);
      const queues = queuesOf(places, decisionsIn(settings, pauses));
      return { queues, isAny: places.length > 0, isSomethingDue: isDue === 'true' };
    },
    longestWait: async (db, queues) => {
      const asked = queues.flatMap(({ places, type, wiki }) =>
        places.map((place) => ({ place, type, wiki })),
      );
      const [row] = await rowsOf(db, waiting, [
        asked.map(({ place }) => place),
        asked.map(({ type }) => type),
        asked.map(({ wiki }) => wiki),
      ]);
      return Math.max(0, Number(row?.[0] ?? 0) * 1_000);
    },
  };
};
