/** For commands that read tables: up to date first, and honest where that cannot be had. */
import * as E from 'fp-ts/lib/Either.js';
import type { Projection } from '../../projections/projection.js';
import type { Ledger } from '../ledger.js';
import { bringUpToDate, haltsOf } from '../reading/up-to-date.js';
import type { CommandContext } from './command.js';
import { failedOutside, storeFailed, type Outcome } from './outcome.js';

/** Where a table cannot be brought up to date, the answer is given as it stands there, and the command ends with status 3. */
export const withTables = (
  { withLedger, out }: CommandContext,
  projections: readonly Projection[],
  read: (ledger: Ledger) => Promise<Outcome>,
): Promise<Outcome> =>
  withLedger('operator', async (ledger) => {
    const statuses = await bringUpToDate(ledger, projections, out);
    if (E.isLeft(statuses)) return storeFailed(statuses.left);
    const outcome = await read(ledger);
    const halts = haltsOf(statuses.right);
    return outcome.status !== 0 || halts === undefined
      ? outcome
      : failedOutside(`what is shown is not up to date: ${halts}`);
  });
