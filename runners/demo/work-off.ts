/** Works until nothing is ready and nothing falls due soon: failed attempts of the demo are tried again within a second. */
import * as E from 'fp-ts/lib/Either.js';
import { pause } from '../../adapters/pause.js';
import type { StoreError } from '../../domain/errors.js';
import { millisecondsBetween } from '../../domain/instant.js';
import type { Handler } from '../define-job.js';
import type { Ledger } from '../ledger.js';
import { startWork } from '../work.js';
import type { WorkSummary } from '../worker/worker-options.js';

const SOON_MS = 10_000;

const sum = (a: WorkSummary, b: WorkSummary): WorkSummary => ({
  succeeded: a.succeeded + b.succeeded,
  failed: a.failed + b.failed,
  refused: a.refused + b.refused,
  lost: a.lost + b.lost,
  released: a.released + b.released,
  cancelled: a.cancelled + b.cancelled,
  snoozed: a.snoozed + b.snoozed,
  superseded: a.superseded + b.superseded,
});

export const workOff = async (
  ledger: Ledger,
  handlers: readonly Handler[],
  log: (line: string) => void,
): Promise<E.Either<StoreError, WorkSummary>> => {
  const scope = { types: handlers.map(({ type }) => type), wikis: undefined };
  let total = await startWork(ledger, { handlers, drain: true, log }).done;
  for (;;) {
    const due = await ledger.claimDesk.nextDue(scope)();
    if (E.isLeft(due)) return due;
    const wait = due.right === undefined ? Infinity : millisecondsBetween(ledger.clock.now(), due.right);
    if (wait > SOON_MS) return E.right(total);
    await pause(Math.max(1, wait));
    total = sum(total, await startWork(ledger, { handlers, drain: true, log }).done);
  }
};
