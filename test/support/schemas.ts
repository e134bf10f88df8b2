// Migrated schemas in a database of their own, for tests of what lies on PostgreSQL.
import { isLeft } from 'fp-ts/lib/Either.js';
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { connect } from '../../adapters/postgres/connection.js';
import { migrate } from '../../adapters/postgres/migrate.js';
import { schemaName, type SchemaName } from '../../adapters/postgres/schema-name.js';
import { testDatabase } from './postgres.js';

export interface SchemaDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  /** A new schema, without anything in it. */
  readonly emptySchema: () => SchemaName;
  readonly migratedSchema: () => Promise<SchemaName>;
  readonly drop: () => Promise<void>;
}

/** On a server of one's own where its URL is given. */
export const schemaDatabase = async (connections = 20, given?: string): Promise<SchemaDatabase> => {
  const database = given === undefined ? await testDatabase() : { url: given, drop: () => Promise.resolve() };
  const connected = await connect(database.url, { connections })();
  if (isLeft(connected)) throw new Error(JSON.stringify(connected.left));
  const pool = connected.right;
  const emptySchema = (): SchemaName => {
    const name = schemaName(`s_${randomBytes(4).toString('hex')}`);
    if (isLeft(name)) throw new Error(name.left.message);
    return name.right;
  };
  return {
    url: database.url,
    pool,
    emptySchema,
    migratedSchema: async () => {
      const schema = emptySchema();
      const migrated = await migrate(pool, schema)();
      if (isLeft(migrated)) throw new Error(JSON.stringify(migrated.left));
      return schema;
    },
    drop: async () => {
      await pool.end();
      await database.drop();
    },
  };
};
