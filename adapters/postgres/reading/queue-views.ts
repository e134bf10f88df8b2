/** What each queue holds and has seen, and how long its oldest ready job has waited. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { attempt } from '../error-mapping.js';
import { isoSql } from '../iso.js';
import { inSchema, type SchemaName } from '../schema-name.js';
import { rowsOf, type Cells } from '../statement.js';
import type { StoreError } from '../../../domain/errors.js';
import { millisecondsBetween } from '../../../domain/instant.js';
import type pg from 'pg';
import type { QueueView } from '../../../projections/reading-desk.js';
import { OLDEST_READY } from './oldest-ready.js';
import { allQueues, delayedSql, readyAndDelayed, WAITING_AND_DELAYED, WITH_DELAYED } from './queue-sizes.js';

// Where many have fallen due that nobody has moved yet, the due minute tells since when, to the minute.
const QUEUES = `
WITH RECURSIVE ${delayedSql(allQueues)}, ${OLDEST_READY}
SELECT s.wiki, s.type, ${WAITING_AND_DELAYED},
  s.claimed::text, s.abandoned::text, s.succeeded::text, s.failed::text, s.suppressed::text, s.superseded::text,
  s.enqueued::text, s.retried::text, s.cancelled::text,
  ${isoSql("least(r.since, coalesce(o.since, least(clock.now, due.first_minute + interval '1 minute')))")},
  ${isoSql('clock.now')}
FROM __schema__.queue_summary s
CROSS JOIN clock${WITH_DELAYED}
LEFT JOIN ready_since r ON r.wiki = s.wiki AND r.type = s.type
LEFT JOIN due_since o ON o.wiki = s.wiki AND o.type = s.type
ORDER BY s.wiki, s.type`;

const viewOf = (cells: Cells): QueueView => {
  const count = (index: number): number => Number(cells[index] ?? 0);
  const [wiki, type] = cells;
  const { ready, delayed } = readyAndDelayed(cells[2], cells[3]);
  const oldestReadyAt = ready > 0 ? (cells[13] ?? null) : null;
  const age = oldestReadyAt === null ? 0 : millisecondsBetween(oldestReadyAt, cells[14] ?? oldestReadyAt);
  return {
    wiki: wiki ?? '',
    type: type ?? '',
    ready,
    delayed,
    claimed: count(4),
    abandoned: count(5),
    succeeded: count(6),
    failed: count(7),
    suppressed: count(8),
    superseded: count(9),
    enqueued: count(10),
    retried: count(11),
    cancelled: count(12),
    oldestReadyAt,
    lagSeconds: Math.max(0, age) / 1_000,
  };
};

export const queueViews = (pool: pg.Pool, schema: SchemaName): TaskEither<StoreError, readonly QueueView[]> =>
  attempt(async () => (await rowsOf(pool, { text: inSchema(QUEUES, schema) }, [])).map(viewOf));
