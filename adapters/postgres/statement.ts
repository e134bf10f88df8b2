/** Statements on a pool or on a client that may be inside a transaction, and the one retry that is always safe. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { isStalePlan } from './error-mapping.js';
import { allowSilence } from './silence.js';

/** A pool: each statement is a transaction of its own. A client: the transaction, if any, is its owner's business. */
export type Queryable = pg.Pool | pg.ClientBase;

export interface Statement {
  /** Prepared under this name, once per connection. */
  readonly name?: string;
  readonly text: string;
}

/** Texts are few, and asked for at every claim and read: each is hashed once. */
const digests = new Map<string, string>();

const digestOf = (text: string): string => {
  let digest = digests.get(text);
  if (digest === undefined) {
    digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
    digests.set(text, digest);
  }
  return digest;
};

/** A name that two different texts never share on one connection, whatever the schema and the fragments. */
export const prepared = (label: string, text: string): Statement => ({
  name: `${label}-${digestOf(text)}`,
  text,
});

export type Cells = readonly (string | null)[];

export const isPool = (db: Queryable): db is pg.Pool => db instanceof pg.Pool;

/** Rows as arrays. Cast every column to text: the parsers of a caller's own pool are not ours to trust. */
export const rowsOf = async (
  db: Queryable,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly Cells[]> => {
  const run = async (query: Statement): Promise<readonly Cells[]> => {
    const result = await db.query<(string | null)[]>({ ...query, values: [...values], rowMode: 'array' });
    return result.rows;
  };
  try {
    return await run(statement);
  } catch (error) {
    // The pool has thrown the connection away; its neighbours hold the same stale plan, so this time without a name.
    if (isStalePlan(error) && isPool(db)) return run({ text: statement.text });
    throw error;
  }
};

const ignoreLoss = (): void => undefined;

/**
 * One connection for several statements in a row; it is not given back after a failure, or where `use` says so.
 * @param silenceMs how long a statement may go without a byte, where it is not the usual time (silence.ts)
 */
export const withClient = async <A>(
  db: Queryable,
  use: (client: pg.ClientBase, discard: () => void) => Promise<A>,
  silenceMs?: number,
): Promise<A> => {
  if (!isPool(db)) return use(db, () => undefined);
  const client = await db.connect();
  if (silenceMs !== undefined) allowSilence(client, silenceMs);
  // A connection lost between two statements would end the process if nobody listened; the next statement reports it.
  client.on('error', ignoreLoss);
  let isDiscarded = false;
  const discard = (): void => {
    isDiscarded = true;
  };
  try {
    return await use(client, discard);
  } catch (error) {
    discard();
    throw error;
  } finally {
    client.off('error', ignoreLoss);
    client.release(isDiscarded);
  }
};
