/** The demo's own schema, empty: what an earlier demo left there goes. Nothing else is touched. */
import * as E from 'fp-ts/lib/Either.js';
import type pg from 'pg';
import { attempt } from './error-mapping.js';
import { settleHistory } from './history-elsewhere.js';
import { migrate } from './migrate.js';
import { quoteIdentifier, type SchemaName } from './schema-name.js';
import { allowSilence, patience } from './silence.js';
import { inTransaction } from './transaction.js';
import { rejected, type StoreError } from '../../domain/errors.js';

/** What a ledger makes beside its schema. */
const BESIDE = ['', '_elasticjob_ui', '_rebuild'];

interface Place {
  readonly pool: pg.Pool;
  readonly schema: SchemaName;
  /** The ledger's name on an EventStoreDB, where the history is there. */
  readonly elsewhere: string | undefined;
}

export interface Afresh {
  /** Lets the next demo in. */
  readonly release: () => void;
}

const isFirst = async (client: pg.ClientBase, schema: string): Promise<boolean> => {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM ${quoteIdentifier(schema)}.event)
      OR EXISTS (SELECT FROM ${quoteIdentifier(schema)}.history_elsewhere) AS found`,
  );
  return rows[0]?.found !== true;
};

const drop = async (client: pg.ClientBase, schema: string): Promise<void> => {
  const schemas = BESIDE.map((suffix) => quoteIdentifier(`${schema}${suffix}`)).join(', ');
  await inTransaction(client, () => client.query(`DROP SCHEMA IF EXISTS ${schemas} CASCADE`), {
    settings: { lock_timeout: '5s' },
  });
};

/** One demo at a time: two would take each other's tables away. */
const lock = async (client: pg.ClientBase, schema: string): Promise<boolean> => {
  const { rows } = await client.query<{ got: boolean }>(
    'SELECT pg_try_advisory_lock(hashtextextended($1, 27244)) AS got',
    [`demo ${schema}`],
  );
  return rows[0]?.got === true;
};

export const beginAfresh = async ({
  pool,
  schema,
  elsewhere,
}: Place): Promise<E.Either<StoreError, Afresh>> => {
  const client = await pool.connect();
  allowSilence(client, patience.rebuild);
  // Its session ends with it, and the lock with the session.
  const release = (): void => client.release(true);
  const begun = await attempt(async () => {
    if (!(await lock(client, schema))) return false;
    if (await isFirst(client, schema)) return true;
    await drop(client, schema);
    return true;
  })();
  const failure = E.isLeft(begun) ? begun.left : begun.right ? undefined : busy(schema);
  const migrated = failure === undefined ? await migrate(pool, schema)() : E.left(failure);
  const settled = E.isLeft(migrated) ? migrated : await settleHistory(pool, schema, elsewhere)();
  if (E.isRight(settled)) return E.right({ release });
  release();
  return settled;
};

const busy = (schema: string): StoreError =>
  rejected(`another demo is at work in the schema ${schema}; wait for its end`);
