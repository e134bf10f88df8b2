/** `migrate`: brings the ledger's schema up to date, or prints the SQL that would. */
import * as E from 'fp-ts/lib/Either.js';
import type pg from 'pg';
import { startEmbedded } from '../../adapters/embedded/index.js';
import { connect } from '../../adapters/postgres/connection.js';
import { attempt } from '../../adapters/postgres/error-mapping.js';
import { currentNumber, migrate as migrateSchema } from '../../adapters/postgres/migrate.js';
import { plan, readMigrations } from '../../adapters/postgres/migrations.js';
import { schemaName, type SchemaName } from '../../adapters/postgres/schema-name.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, failedOutside, storeFailed, wrongUsage, type Outcome } from './outcome.js';

const showPlan = async (
  { out, json }: CommandContext,
  pool: pg.Pool,
  schema: SchemaName,
): Promise<Outcome> => {
  const current = await attempt(() => currentNumber(pool, schema))();
  if (E.isLeft(current)) return storeFailed(current.left);
  const pending = readMigrations().filter(({ number }) => number > current.right);
  if (json)
    await out.json({
      schema,
      at: current.right,
      pending: pending.map(({ name }) => name),
      sql: plan(schema, current.right),
    });
  else if (pending.length === 0) out.tell(`schema ${schema} is up to date: there is nothing to run`);
  else await out.write(plan(schema, current.right));
  return done;
};

const bringUpToDate = async (
  { out, json }: CommandContext,
  pool: pg.Pool,
  schema: SchemaName,
): Promise<Outcome> => {
  const migrated = await migrateSchema(pool, schema)();
  if (E.isLeft(migrated)) return storeFailed(migrated.left);
  const { from, to, applied } = migrated.right;
  if (json) await out.json({ schema, from, to, applied });
  else if (applied.length === 0) await out.line(`schema ${schema} is up to date (migration ${to})`);
  else await out.line(`schema ${schema} is up to date: migrations ${from} to ${to} (${applied.join(', ')})`);
  return done;
};

const urlOf = async ({ config, out }: CommandContext): Promise<E.Either<Outcome, string>> => {
  if (config.databaseUrl !== undefined) return E.right(config.databaseUrl);
  const started = await startEmbedded(config.home, out.tell)();
  return E.isLeft(started) ? E.left(failedOutside(started.left.message)) : E.right(started.right.url);
};

const migrateOn = async (context: CommandContext, isPlan: boolean): Promise<Outcome> => {
  const schema = schemaName(context.config.schema);
  if (E.isLeft(schema)) return wrongUsage(schema.left.message);
  const url = await urlOf(context);
  if (E.isLeft(url)) return url.left;
  const pool = await connect(url.right)();
  if (E.isLeft(pool)) return storeFailed(pool.left);
  try {
    return await (isPlan ? showPlan : bringUpToDate)(context, pool.right, schema.right);
  } finally {
    await pool.right.end();
  }
};

export const migrate: CliCommand = {
  name: 'migrate',
  summary: "bring the ledger's schema up to date",
  examples: ['jobledger migrate', 'jobledger migrate --plan > upgrade.sql'],
  register: (command, run) =>
    command
      .option('--plan', 'print the SQL, and run nothing')
      .action(({ plan: isPlan }: { readonly plan?: true }) =>
        run((context) => migrateOn(context, isPlan === true)),
      ),
};
