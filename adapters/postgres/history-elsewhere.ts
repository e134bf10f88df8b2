/** Whose history the tables of a schema are made from. Checkpoints of one history are nonsense in another: it is settled once. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import { attempt, StoreFailure } from './error-mapping.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { rowsOf, type Queryable } from './statement.js';

const STANDING = `
SELECT (SELECT h.ledger FROM __schema__.history_elsewhere h), EXISTS (SELECT FROM __schema__.event)::text`;

const SETTLE = `INSERT INTO __schema__.history_elsewhere (ledger) VALUES ($1) ON CONFLICT DO NOTHING`;

const refuse = (message: string): never => {
  throw new StoreFailure(rejected(message));
};

/** `ledger`: the one on EventStoreDB, or undefined where the history is to be in this database. */
export const settleHistory = (
  db: Queryable,
  schema: SchemaName,
  ledger: string | undefined,
): TaskEither<StoreError, void> =>
  attempt(async () => {
    const [row] = await rowsOf(db, { text: inSchema(STANDING, schema) }, []);
    const known = row?.[0] ?? undefined;
    if (ledger === undefined) {
      if (known !== undefined) {
        refuse(
          `the history of schema ${schema} is the ledger "${known}" on an EventStoreDB: say where with --eventstore-url`,
        );
      }
      return;
    }
    if (row?.[1] === 'true') {
      refuse(
        `schema ${schema} holds a history of its own: take another --schema for the ledger on EventStoreDB`,
      );
    }
    if (known === undefined) {
      await rowsOf(db, { text: inSchema(SETTLE, schema) }, [ledger]);
      return settleHistory(db, schema, ledger)().then(() => undefined);
    }
    if (known !== ledger) {
      refuse(
        `schema ${schema} has the tables of the ledger "${known}", not of "${ledger}": take another --schema, or --ledger ${known}`,
      );
    }
  });
