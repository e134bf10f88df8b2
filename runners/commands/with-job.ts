/** What `job`, `history` and `explain` share: the ID, the job's events, and what to say where there are none. */
import * as E from 'fp-ts/lib/Either.js';
import type { RecordedEvent } from '../../domain/ledger.js';
import { findJob, jobKey } from '../reading/find-job.js';
import { prunedInWords } from '../reading/pruned.js';
import type { Ledger } from '../ledger.js';
import type { CommandContext } from './command.js';
import { negative, storeFailed, wrongUsage, type Outcome } from './outcome.js';

export const ID = '<id>';
export const ID_WORDS = "the job's UUID, or its job_id";

export const withJob = async (
  { withLedger }: CommandContext,
  id: string,
  use: (events: readonly RecordedEvent[], ledger: Ledger) => Promise<Outcome>,
): Promise<Outcome> => {
  const key = jobKey(id);
  if (E.isLeft(key)) return wrongUsage(key.left);
  return withLedger('operator', async (ledger) => {
    const found = await findJob(ledger, key.right);
    if (E.isLeft(found)) return storeFailed(found.left);
    const { events, pruned } = found.right;
    if (pruned !== undefined) return negative(prunedInWords(id, pruned));
    return events.length === 0 ? negative(`there is no job ${id} in this ledger`) : use(events, ledger);
  });
};
