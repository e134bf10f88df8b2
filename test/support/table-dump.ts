// Every row of a projection's tables, as COPY writes them, in the order of their keys: equal dumps are equal tables, byte for byte.
import { text } from 'node:stream/consumers';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Projection } from '../../projections/projection.js';

const dumpTable = async (
  pool: pg.Pool,
  name: string,
  key: readonly string[],
  from: string,
): Promise<string> => {
  const client = await pool.connect();
  try {
    const query = `COPY (SELECT * FROM ${from} t ORDER BY ${key.join(', ')}) TO STDOUT`;
    return `${name}\n${await text(client.query(copyTo(query)))}`;
  } finally {
    client.release();
  }
};

const READY = '(SELECT * FROM jobledger.ready_job UNION ALL SELECT * FROM jobledger.delayed_job)';

export const dumpTables = async (pool: pg.Pool, projections: readonly Projection[]): Promise<string> => {
  const dumps: string[] = [];
  for (const { name, key } of projections.flatMap(({ tables }) => tables)) {
    dumps.push(await dumpTable(pool, name, key, name === 'ready_job' ? READY : `jobledger.${name}`));
  }
  return dumps.join('\n');
};
