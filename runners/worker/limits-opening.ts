/** The slots of a limit that is new are completed once, beside the claims: it waits for those under way, of any runner. */
import * as E from 'fp-ts/lib/Either.js';
import { explainStoreError } from '../../domain/errors.js';
import type { ClaimDesk } from '../../projections/ports.js';

export interface LimitsOpening {
  readonly begin: () => void;
  readonly settled: () => Promise<void>;
}

/** Limits that cannot be counted are kept by giving nothing; whoever runs the runner is told why, once for each reason. */
export const limitsOpening = (
  desk: Pick<ClaimDesk, 'openLimits'>,
  log: (line: string) => void,
  onOpened: () => void,
): LimitsOpening => {
  let opening: Promise<void> | undefined;
  let told: string | undefined;
  const open = async (): Promise<void> => {
    const opened = await desk.openLimits()();
    const flaw = E.isLeft(opened) ? explainStoreError(opened.left) : undefined;
    if (flaw !== undefined && flaw !== told)
      log(`limited queues wait: their limits cannot be counted: ${flaw}`);
    told = flaw;
    opening = undefined;
    onOpened();
  };
  return {
    begin: () => {
      opening ??= open();
    },
    settled: async () => opening,
  };
};
