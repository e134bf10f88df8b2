/** The tables `queue` and `queue_pause`, as decisions. An empty name there means all of them. */
import * as t from 'io-ts';
import { JobClass } from '../../domain/job/facts.js';
import type { Scope } from '../../domain/queue/scope.js';
import { changedSettings, QueueOrder, type ScopeSettings } from '../../domain/queue/settings.js';
import type { Pause, QueueBook, QueueDecisions } from '../../projections/ports.js';
import { attempt } from './error-mapping.js';
import { isoSql } from './iso.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Queryable } from './statement.js';

/** Two columns: the rows of either table as a JSON array, or null. */
export const DECISIONS = `
(SELECT json_agg(q ORDER BY q.wiki, q.type)::text FROM __schema__.queue q) AS settings,
(SELECT json_agg(json_build_object('wiki', p.wiki, 'type', p.type, 'since', ${isoSql('p.since')}, 'by', p.by, 'why', p.why)
  ORDER BY p.wiki, p.type)::text FROM __schema__.queue_pause p) AS pauses`;

const orNull = <A>(codec: t.Type<A>) => t.union([codec, t.null]);
const SettingRow = t.type({
  wiki: t.string,
  type: t.string,
  class: orNull(JobClass),
  weight: orNull(t.number),
  pick_order: orNull(QueueOrder),
  running: orNull(t.number),
  per_second: orNull(t.number),
  items_per_second: orNull(t.number),
});
const PauseRow = t.type({ wiki: t.string, type: t.string, since: t.string, by: t.string, why: t.string });

const named = (name: string): string | undefined => (name === '' ? undefined : name);
const scopeOf = ({ wiki, type }: { readonly wiki: string; readonly type: string }): Scope => ({
  wiki: named(wiki),
  type: named(type),
});

const settingsOf = (row: t.TypeOf<typeof SettingRow>): ScopeSettings => ({
  scope: scopeOf(row),
  settings: changedSettings(
    {},
    {
      class: row.class,
      weight: row.weight,
      order: row.pick_order,
      running: row.running,
      perSecond: row.per_second,
      itemsPerSecond: row.items_per_second,
    },
  ),
});

const pauseOf = ({ since, by, why, ...names }: t.TypeOf<typeof PauseRow>): Pause => ({
  scope: scopeOf(names),
  since,
  by,
  why,
});

const rowsIn = <A>(codec: t.Type<A>, json: string | null | undefined): readonly A[] => {
  const rows: unknown = JSON.parse(json ?? '[]');
  if (!t.array(codec).is(rows)) throw new Error(`the tables of queues hold what cannot be: ${json}`);
  return rows;
};

export const decisionsIn = (
  settings: string | null | undefined,
  pauses: string | null | undefined,
): QueueDecisions => ({
  settings: rowsIn(SettingRow, settings).map(settingsOf),
  pauses: rowsIn(PauseRow, pauses).map(pauseOf),
});

export const postgresQueueBook = (db: Queryable, schema: SchemaName): QueueBook => {
  const read = prepared('queue-decisions', inSchema(`SELECT ${DECISIONS}`, schema));
  return {
    decisions: () =>
      attempt(async () => {
        const [[settings, pauses] = []] = await rowsOf(db, read, []);
        return decisionsIn(settings, pauses);
      }),
  };
};
