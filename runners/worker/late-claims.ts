/**
 * Claims whose commit was asked for on a connection that went silent, and that do not stand. A server that was frozen meanwhile may commit
 * them yet; nobody would run them then, and this runner's renewals would keep them. They are looked for until they stand, or
 * something else has become of their jobs.
 */
import * as E from 'fp-ts/lib/Either.js';
import { backOff } from '../../adapters/back-off.js';
import { pause } from '../../adapters/pause.js';
import type { StoreError } from '../../domain/errors.js';
import type { HeldJob } from './holding.js';
import { inDoubt, lookAt, type Doubt, type InDoubtPorts } from './in-doubt.js';

export interface LateClaims {
  /**
   * Those of them that stand now. The others are watched from now on.
   * @param lost fires when the runner gives up the id that they were tried under: then their lease runs out
   */
  readonly settle: (
    failure: E.Left<StoreError>,
    doubt: Doubt,
    lost: AbortSignal,
  ) => Promise<E.Either<StoreError, readonly HeldJob[]>>;
  /** Those that have come to stand since; each once. */
  readonly take: () => readonly HeldJob[];
  /** Looks no further. */
  readonly end: () => Promise<void>;
}

const FIRST_LOOK_MS = 500;
const LONGEST_MS = 5_000;

export const lateClaims = (ports: InDoubtPorts): LateClaims => {
  const ending = new AbortController();
  const watches = new Set<Promise<void>>();
  let late: readonly HeldJob[] = [];

  const watch = async ({ rank, ...doubt }: Doubt, lost: AbortSignal): Promise<void> => {
    let { tried } = doubt;
    const looks = backOff(FIRST_LOOK_MS, LONGEST_MS);
    while (tried.length > 0 && !lost.aborted && !ending.signal.aborted) {
      await pause(looks.next(), ending.signal);
      const looked = await lookAt(ports, { tried, rank });
      if (E.isLeft(looked) || lost.aborted) continue;
      tried = looked.right.open;
      late = [...late, ...looked.right.held];
    }
  };

  return {
    settle: async (failure, doubt, lost) => {
      const looked = await inDoubt(ports, failure, doubt, lost);
      if (E.isLeft(looked)) return looked;
      const { open: tried, held } = looked.right;
      const watching = watch({ tried, rank: doubt.rank }, lost).finally(() => watches.delete(watching));
      watches.add(watching);
      return E.right(held);
    },
    take: () => {
      const taken = late;
      late = [];
      return taken;
    },
    end: async () => {
      ending.abort();
      await Promise.all(watches);
    },
  };
};
