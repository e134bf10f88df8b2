/** Rows of a long answer in pages, from one snapshot, in bounded memory. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { attempt } from '../error-mapping.js';
import { rowsOf, withClient, type Cells } from '../statement.js';
import { patience } from '../silence.js';
import { inTransaction } from '../transaction.js';
import type { StoreError } from '../../../domain/errors.js';

const PAGE = 1_000;

/** Stops early where `onPage` answers false. Gives the number of rows handed over. */
export const streamRows = (
  pool: pg.Pool,
  query: string,
  values: readonly unknown[],
  onPage: (rows: readonly Cells[]) => Promise<boolean>,
): TaskEither<StoreError, number> =>
  attempt(() =>
    withClient(
      pool,
      async (client) => {
        const pages = async (): Promise<number> => {
          await rowsOf(client, { text: `DECLARE answer NO SCROLL CURSOR FOR ${query}` }, values);
          let count = 0;
          for (;;) {
            const rows = await rowsOf(client, { text: `FETCH ${PAGE} FROM answer` }, []);
            count += rows.length;
            if (rows.length === 0 || !(await onPage(rows))) return count;
          }
        };
        return inTransaction(client, pages, { mode: 'READ ONLY', isLeisurely: true });
      },
      patience.rebuild,
    ),
  );
