/** Whether every table has been brought past the events that are to go, and holds still until the transaction ends. */
import type pg from 'pg';
import type { Position } from '../../../domain/ledger.js';
import type { Projection } from '../../../projections/projection.js';
import { inPlace } from '../checkpoint.js';
import type { SchemaName } from '../schema-name.js';
import { shadowPlace } from '../shadow.js';
import { livePlace } from '../sink.js';
import { rowsOf } from '../statement.js';

// Whoever begins a rebuild takes this lock first (shadow.ts), and makes its tables before it reads.
const KEEP_REBUILDS_OUT = `SELECT pg_advisory_xact_lock(27244, hashtext('rebuild'))`;

const HOLD = `
SELECT c.projection, c.position::text, c.version::text
FROM __schema__.checkpoint c
ORDER BY c.projection
FOR UPDATE`;

const rebuildInHand = async (
  client: pg.ClientBase,
  schema: SchemaName,
  projections: readonly Projection[],
): Promise<string | undefined> => {
  await rowsOf(client, { text: KEEP_REBUILDS_OUT }, []);
  const shadow = shadowPlace(schema);
  const names = projections.flatMap(({ name, tables }) => tables.map((table) => [name, table.name] as const));
  const found = await rowsOf(
    client,
    {
      text: 'SELECT n.name FROM unnest($1::text[], $2::text[]) n(name, there) WHERE to_regclass(n.there) IS NOT NULL',
    },
    [names.map(([name]) => name), names.map(([, table]) => `${shadow.schema}.${table}`)],
  );
  const name = found[0]?.[0];
  return typeof name === 'string'
    ? `a rebuild of ${name} is under way or was broken off: let it end, or run "jobledger rebuild ${name}"`
    : undefined;
};

/**
 * Holds the checkpoints until the transaction ends. Why nothing may go, or undefined.
 * @param kept names of the projections that have to have a checkpoint; one of an unknown name counts as well
 */
export const hindranceOf = async (
  client: pg.ClientBase,
  schema: SchemaName,
  projections: readonly Projection[],
  kept: readonly Pick<Projection, 'name' | 'version'>[],
  last: Position,
): Promise<string | undefined> => {
  const rebuild = await rebuildInHand(client, schema, projections);
  if (rebuild !== undefined) return rebuild;
  const rows = await rowsOf(client, { text: inPlace(HOLD, livePlace(schema)) }, []);
  const standing = new Map(rows.map(([name, position, version]) => [name ?? '', { position, version }]));
  for (const { name, version } of kept) {
    const known = standing.get(name);
    if (known === undefined) return `the table ${name} was never brought up to date`;
    if (Number(known.version) !== version)
      return `${name} was kept by version ${known.version} of its projection, this is version ${version}: run "jobledger rebuild ${name}"`;
  }
  for (const [name, { position }] of standing) {
    if (BigInt(position ?? 0) < last)
      return `the table ${name} is behind: it stands at position ${position}, and what is to go ends at ${last}; "jobledger project status" tells why`;
  }
  return undefined;
};
