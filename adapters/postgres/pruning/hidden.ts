/**
 * A history elsewhere without the events of pruned jobs: whoever reads its log meets them until it is scavenged, and some of them while
 * that is going on. Where nothing was ever pruned it costs one question at the beginning of the log.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../../domain/errors.js';
import { jobIdOf, START, type RecordedEvent } from '../../../domain/ledger.js';
import type { EventStore } from '../../../domain/ports.js';
import { attempt } from '../error-mapping.js';
import { succeeded } from '../outcome.js';
import { inSchema, type SchemaName } from '../schema-name.js';
import { rowsOf, type Queryable } from '../statement.js';

const IS_ANY = `
SELECT (EXISTS (SELECT FROM __schema__.pruned_job) OR EXISTS (SELECT FROM __schema__.prune_outbox))::text`;

// As a list: the planner would otherwise read all of a table whose size it does not know yet.
const PRUNED = `
SELECT p.job::text, p.revision::text FROM __schema__.pruned_job p WHERE p.job = ANY ($1::uuid[])
UNION ALL
SELECT j.value->>'id', j.value->>'revision' FROM __schema__.prune_outbox o, json_array_elements(o.data->'jobs') j`;

const isAnyPruned = async (db: Queryable, schema: SchemaName): Promise<boolean> => {
  const [row] = await rowsOf(db, { text: inSchema(IS_ANY, schema) }, []);
  return row?.[0] === 'true';
};

const visible = async (
  db: Queryable,
  schema: SchemaName,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> => {
  const jobIds = new Set(events.flatMap(({ stream }) => jobIdOf(stream) ?? []));
  if (jobIds.size === 0) return events;
  const rows = await rowsOf(db, { text: inSchema(PRUNED, schema) }, [[...jobIds]]);
  if (rows.length === 0) return events;
  const gone = new Map<string, bigint>();
  for (const [job, revision] of rows) {
    const [id, last] = [job ?? '', BigInt(revision ?? 0)];
    if (last > (gone.get(id) ?? -1n)) gone.set(id, last);
  }
  // An id that is used again has its events behind those that went.
  return events.filter(({ stream, revision }) => revision > (gone.get(jobIdOf(stream) ?? '') ?? -1n));
};

type ReadAll = EventStore['readAll'];

/** As a client sees it inside its transaction. */
export const withoutPrunedOn = (client: Queryable, schema: SchemaName, readAll: ReadAll): ReadAll => {
  let isAny: Promise<boolean> | undefined;
  return (options) =>
    attempt(async () => {
      const page = await succeeded(readAll(options));
      isAny ??= isAnyPruned(client, schema);
      return (await isAny) ? { ...page, events: await visible(client, schema, page.events) } : page;
    });
};

/**
 * Whoever is behind keeps a prune from going on, so that only who begins at the start of the log can meet what was pruned before: that is
 * when it is asked whether there is any.
 * @param prunedKnown brings the table of pruned jobs to the end of history
 */
export const withoutPruned = (
  db: Queryable,
  schema: SchemaName,
  readAll: ReadAll,
  prunedKnown: TaskEither<StoreError, unknown>,
): ReadAll => {
  let isAny: boolean | undefined;
  return (options) =>
    attempt(async () => {
      if (isAny !== true && (options.after === START || isAny === undefined)) {
        await succeeded(prunedKnown);
        isAny = await isAnyPruned(db, schema);
      }
      const page = await succeeded(readAll(options));
      return isAny === true ? { ...page, events: await visible(db, schema, page.events) } : page;
    });
};
