/** Numbers of jobs that came from elsewhere are not drawn again. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import { attempt } from './error-mapping.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { rowsOf, type Queryable } from './statement.js';

const RAISE = `
SELECT setval('__schema__.job_number', greatest($1::bigint, n.last_value))::text FROM __schema__.job_number n`;

/** From now on numbers above this are drawn. */
export const raiseJobNumbers = (
  db: Queryable,
  schema: SchemaName,
  least: bigint,
): TaskEither<StoreError, void> =>
  attempt(async () => {
    await rowsOf(db, { text: inSchema(RAISE, schema) }, [least.toString()]);
  });
