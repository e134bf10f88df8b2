// How much a statement reads, whatever the machine: the rows that its scans of tables and indexes met.
import type { Queryable } from '../../adapters/postgres/statement.js';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

/** Rows that the scans of tables and indexes met. */
const touched = (plan: Plan): number => {
  const own = plan['Node Type'].endsWith(' Scan') && !/^(CTE|Function|Subquery)/.test(plan['Node Type']);
  const met =
    plan['Actual Rows'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0);
  return (
    (own ? met * plan['Actual Loops'] : 0) + (plan.Plans ?? []).reduce((sum, each) => sum + touched(each), 0)
  );
};

/** Runs it. */
export const rowsTouched = async (
  db: Queryable,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
): Promise<number> => {
  const answer = await db.query<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
    [...values],
  );
  const plan = answer.rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (plan === undefined) throw new Error('nothing was explained');
  return touched(plan);
};
