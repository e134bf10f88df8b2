/** One transaction on one connection: committed where its work ends, rolled back where it fails. */
import type pg from 'pg';

export interface TransactionOptions<A> {
  /** What stands behind BEGIN: an isolation level, READ ONLY. */
  readonly mode?: string;
  /** Settings of this transaction alone, such as `lock_timeout`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A statement that goes with BEGIN, before anything is looked at. */
  readonly first?: string;
  /** False: nothing that was written stays. */
  readonly keeps?: (answer: A) => boolean;
  /** May wait for others between two statements, such as for whoever reads what is written to a pipe. */
  readonly isLeisurely?: boolean;
}

/**
 * A process that is frozen, or cut off without a word, would keep its locks until its connection is found dead; the server lets
 * them go after this time. A rebuild folds a page between two statements, which takes a second.
 */
const LONGEST_IDLE = '30s';

const beginSql = <A>({
  mode = '',
  settings = {},
  first,
  isLeisurely = false,
}: TransactionOptions<A>): string => {
  const all = isLeisurely ? settings : { idle_in_transaction_session_timeout: LONGEST_IDLE, ...settings };
  const set = Object.entries(all).map(([name, value]) => `; SET LOCAL ${name} = '${value}'`);
  return [`BEGIN ${mode}${set.join('')}`, ...(first === undefined ? [] : [first])].join('; ');
};

export const inTransaction = async <A>(
  client: pg.ClientBase,
  work: () => Promise<A>,
  options: TransactionOptions<A> = {},
): Promise<A> => {
  await client.query(beginSql(options));
  try {
    const answer = await work();
    await client.query((options.keeps?.(answer) ?? true) ? 'COMMIT' : 'ROLLBACK');
    return answer;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

/** A part of somebody's transaction that may fail by itself. */
export const inSavepoint = async <A>(client: pg.ClientBase, work: () => Promise<A>): Promise<A> => {
  await client.query('SAVEPOINT part');
  try {
    const answer = await work();
    await client.query('RELEASE part');
    return answer;
  } catch (error) {
    await client.query('ROLLBACK TO part').catch(() => undefined);
    throw error;
  }
};
