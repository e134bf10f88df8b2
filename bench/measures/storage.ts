/** What a finished job takes up on disk, table by table, with indexes and what is stored out of line. */
import type pg from 'pg';
import type { Figures } from './measuring.js';

export type TableSizes = ReadonlyMap<string, number>;

export const tableSizes = async (client: pg.Client, schema: string): Promise<TableSizes> => {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `SELECT c.relname AS name, pg_total_relation_size(c.oid)::text AS bytes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'm')`,
    [schema],
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
};

/** `bytes`, and `bytes:NAME` for each table that has grown by a byte a job. */
export const bytesPerJob = (before: TableSizes, after: TableSizes, jobs: number): Figures => {
  const grown = [...after].map(([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / jobs] as const);
  const all = grown.reduce((sum, [, bytes]) => sum + bytes, 0);
  const told = grown
    .filter(([, bytes]) => Math.abs(bytes) >= 1)
    .map(([name, bytes]) => [`bytes:${name}`, bytes]);
  return { bytes: all, ...Object.fromEntries(told) };
};
