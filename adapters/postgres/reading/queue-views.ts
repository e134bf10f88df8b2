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
import { allQueues, delayedSql, readyAndDelayed, WAITING_AND_DELAYED, WITH_DELAYED } from './queue-sizes.js';

/**
 * The oldest ready job of a queue: one step of an index, and one more for what has fallen due and has not been moved yet. The indexes are
 * for these conditions alone (0016).
 */
const OLDEST = `least(
    (SELECT min(r.since) FROM __schema__.ready_job r WHERE r.type = s.type AND r.wiki = s.wiki AND r.since > '-infinity'),
    (SELECT min(d.due) FROM __schema__.delayed_job d
      WHERE d.type = s.type AND d.wiki = s.wiki AND d.due > '-infinity' AND d.due <= clock.now)
  )`;

const QUEUES = `
WITH ${delayedSql(allQueues)}
SELECT s.wiki, s.type, ${WAITING_AND_DELAYED},
  s.claimed::text, s.abandoned::text, s.succeeded::text, s.failed::text, s.suppressed::text, s.superseded::text,
  s.enqueued::text, s.retried::text, s.cancelled::text, ${isoSql(OLDEST)}, ${isoSql('clock.now')}
FROM __schema__.queue_summary s
CROSS JOIN clock${WITH_DELAYED}
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
