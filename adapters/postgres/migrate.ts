/** Brings a schema up to date: any number of programs at once, next to live traffic, again after a failure (field case 28). */
import type pg from 'pg';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import { refuseOldServer } from './connection.js';
import { attempt, StoreFailure } from './error-mapping.js';
import { migrationTable, readMigrations, type Migration } from './migrations.js';
import { inSchema, quoteIdentifier, type SchemaName } from './schema-name.js';
import { withClient, type Queryable } from './statement.js';
import { patience } from './silence.js';
import { inTransaction } from './transaction.js';

export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** Names of the migrations that this call ran. */
  readonly applied: readonly string[];
}

/** Whoever waits for a table holds up everybody behind it: short. Whoever waits for another migration harms nobody: long. */
const TABLE_TIMEOUT = '2s';
const TURN_TIMEOUT = '60s';

/** 0 where there is no ledger yet. */
export const currentNumber = async (db: Queryable, schema: SchemaName): Promise<number> => {
  const table = `${quoteIdentifier(schema)}.migration`;
  const exists = await db.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [table]);
  if (exists.rows[0]?.found !== true) return 0;
  const result = await db.query<{ number: number }>(
    `SELECT coalesce(max(number), 0)::integer AS number FROM ${table}`,
  );
  return result.rows[0]?.number ?? 0;
};

const refuseNewer = (schema: SchemaName, current: number, known: number): void => {
  if (current <= known) return;
  throw new StoreFailure(
    rejected(
      `schema ${schema} is at migration ${current}, and this version of jobledger knows only ${known}: ` +
        'it was brought up to date by a newer version, use that one',
    ),
  );
};

const takeTurn = async (client: pg.ClientBase, schema: SchemaName): Promise<void> => {
  await client.query(`SET LOCAL lock_timeout = '${TURN_TIMEOUT}'`);
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 27244))`, [`migrate ${schema}`]);
  await client.query(`SET LOCAL lock_timeout = '${TABLE_TIMEOUT}'`);
};

/** A schema that an administrator made is fine: only creating one needs the privilege to. */
const createTable = (client: pg.ClientBase, schema: SchemaName): Promise<void> =>
  inTransaction(client, async () => {
    await takeTurn(client, schema);
    const found = await client.query<{ found: boolean }>('SELECT to_regnamespace($1) IS NOT NULL AS found', [
      schema,
    ]);
    if (found.rows[0]?.found !== true) await client.query(`CREATE SCHEMA ${quoteIdentifier(schema)}`);
    await client.query(migrationTable(schema));
  });

const run = (client: pg.ClientBase, schema: SchemaName, { number, name, sql }: Migration): Promise<boolean> =>
  inTransaction(client, async () => {
    await takeTurn(client, schema);
    const claimed = await client.query(
      `INSERT INTO ${quoteIdentifier(schema)}.migration (number, name) VALUES ($1, $2) ON CONFLICT (number) DO NOTHING`,
      [number, name],
    );
    if (claimed.rowCount !== 1) return false;
    await client.query(inSchema(sql, schema));
    return true;
  });

const migrateOn = async (client: pg.ClientBase, schema: SchemaName): Promise<Migrated> => {
  await refuseOldServer(client);
  const migrations = readMigrations();
  const from = await currentNumber(client, schema);
  refuseNewer(schema, from, migrations.length);
  if (from === 0) await createTable(client, schema);
  const applied: string[] = [];
  for (const migration of migrations.slice(from)) {
    if (await run(client, schema, migration)) applied.push(migration.name);
  }
  return { from, to: migrations.length, applied };
};

export const migrate = (pool: pg.Pool, schema: SchemaName): TaskEither<StoreError, Migrated> =>
  attempt(() => withClient(pool, (client) => migrateOn(client, schema), patience.rebuild));

/** For programs that do not migrate: the schema has to be exactly as new as they are. */
export const requireMigrated = (db: Queryable, schema: SchemaName): TaskEither<StoreError, void> =>
  attempt(async () => {
    const known = readMigrations().length;
    const current = await currentNumber(db, schema);
    refuseNewer(schema, current, known);
    if (current === known) return;
    const state =
      current === 0
        ? `there is no ledger in schema ${schema}`
        : `schema ${schema} is at migration ${current} of ${known}`;
    throw new StoreFailure(rejected(`${state}: run jobledger migrate`));
  });
