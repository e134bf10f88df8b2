/** One pruner at a time, and none while somebody copies the whole history: page by page, it would lack what goes meanwhile. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { rejected, type StoreError } from '../../../domain/errors.js';
import { attempt, StoreFailure } from '../error-mapping.js';
import type { SchemaName } from '../schema-name.js';
import { patience } from '../silence.js';
import { rowsOf, withClient } from '../statement.js';

// The session's lock ends with its process, however that ends.
const held =
  (mode: '' | '_shared', refusal: string) =>
  <A>(db: pg.Pool, schema: SchemaName, work: () => Promise<A>): TaskEither<StoreError, A> =>
    attempt(() =>
      withClient(
        db,
        async (client) => {
          const key = [`prune ${schema}`];
          const take = `SELECT pg_try_advisory_lock${mode}(hashtextextended($1, 27244))::text`;
          const [row] = await rowsOf(client, { text: take }, key);
          if (row?.[0] !== 'true') throw new StoreFailure(rejected(refusal));
          try {
            return await work();
          } finally {
            const letGo = `SELECT pg_advisory_unlock${mode}(hashtextextended($1, 27244))`;
            await client.query(letGo, key).catch(() => undefined);
          }
        },
        patience.rebuild,
      ),
    );

export const whilePruning = held(
  '',
  'another prune or an export is under way in this ledger: one at a time; wait for its end',
);
export const whileNobodyPrunes = held(
  '_shared',
  'a prune is under way in this ledger: wait for its end, then the export is whole',
);
