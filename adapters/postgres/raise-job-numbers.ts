/**
 * Numbers of jobs that came from elsewhere are not drawn again. No number is ever drawn twice, whoever draws or raises meanwhile: reading
 * the sequence and setting it are two steps, and what was drawn between them would be drawn once more. A short way is gone by drawing,
 * which cannot lead back. For a long one everybody is kept out first: altering a sequence, though nothing of it changes, waits for each
 * transaction that has drawn from it, and lets none draw until the commit. What does not hold: that no number up to the raised one is
 * still on its way, drawn before and not yet appended; and that numbers have no gaps.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import { attempt } from './error-mapping.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { rowsOf, withClient, type Queryable } from './statement.js';
import { inTransaction } from './transaction.js';

const SEQUENCE = `'__schema__.job_number'::regclass`;
const DRAWN = `SELECT (n.last_value - (NOT n.is_called)::integer)::text FROM __schema__.job_number n`;
const DRAW = `SELECT count(nextval(${SEQUENCE}))::text FROM generate_series(1, $1::integer)`;
const KEEP_OUT = `ALTER SEQUENCE __schema__.job_number OWNED BY NONE`;
const SET = `SELECT setval(${SEQUENCE}, $1::bigint)::text FROM __schema__.job_number n WHERE n.last_value < $1::bigint`;

/** Drawn in some milliseconds, and more than a batch of a restore brings. */
const SHORT_WAY = 10_000n;
/** Whoever draws stands behind us while we wait. */
const LONGEST_WAIT = '2s';

/** From now on numbers above this are drawn. `Unavailable`: a transaction that has drawn numbers stayed open. */
export const raiseJobNumbers = (
  db: Queryable,
  schema: SchemaName,
  least: bigint,
): TaskEither<StoreError, void> =>
  attempt(async () => {
    const [drawn] = await rowsOf(db, { text: inSchema(DRAWN, schema) }, []);
    const way = least - BigInt(drawn?.[0] ?? 0);
    if (way <= 0n) return;
    if (way <= SHORT_WAY) {
      await rowsOf(db, { text: inSchema(DRAW, schema) }, [way.toString()]);
      return;
    }
    await withClient(db, (client) =>
      inTransaction(
        client,
        async () => {
          await rowsOf(client, { text: inSchema(KEEP_OUT, schema) }, []);
          await rowsOf(client, { text: inSchema(SET, schema) }, [least.toString()]);
        },
        { settings: { lock_timeout: LONGEST_WAIT } },
      ),
    );
  });
