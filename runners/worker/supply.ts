/** Claims ahead of the free slots: from which queues, in which order of classes, and how deep. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import { ownRank } from '../../domain/job/facts.js';
import type { ClaimDesk, ClaimSession, Pick, QueueScope } from '../../projections/ports.js';
import type { ClaimOptions } from './candidate.js';
import { claimPicked, type ClaimBatch, type TriedClaim } from './claiming.js';
import type { HeldJob } from './holding.js';
import { inDoubt, type InDoubtPorts } from './in-doubt.js';
import { knownQueues, type KnownQueues } from './known-queues.js';
import { lowWater } from './low-water.js';

const MOST_PICKED = 1_000;

export interface SupplyPorts extends InDoubtPorts {
  readonly desk: ClaimDesk;
}

/** `isDry`: no queue in scope had anything to give. */
export type Supplied = ClaimBatch & { readonly isDry: boolean };

export interface Supply {
  /** Up to `limit` claims, of which so many may be started at once. */
  readonly claim: (limit: number, startable: number) => Promise<E.Either<StoreError, Supplied>>;
  /** Forgets which queues were ready: something may have come. */
  readonly refresh: () => void;
}

const NOTHING: ClaimBatch = { claimed: [], superseded: 0, picked: 0, twins: 0 };

/** A trip that has not come back: what is behind it in class waits for it. */
interface Trip {
  readonly rank: number;
  readonly over: Promise<void>;
}

interface Given {
  readonly batch: ClaimBatch;
  readonly session: { readonly picked: ClaimSession['picked']; readonly pickMs: number };
}

/** Rank of the class that the job was picked for. */
const rankIn = (picks: readonly Pick[], { state: { job } }: HeldJob): number => {
  const { wiki, type } = job.enqueued;
  const place = ownRank(job);
  const pick = picks.find(
    ({ queue }) => queue.type === type && queue.wiki === wiki && queue.places.includes(place),
  );
  return pick?.queue.class ?? place;
};

/** What gave nothing is left out until it is looked for again, so that what is behind it gets its turn. */
const noteGiven = (
  { turns, starving }: KnownQueues,
  picks: readonly Pick[],
  { batch, session }: Given,
  reach: number,
): void => {
  const jobs = new Map<number, number>();
  for (const { pick } of session.picked) jobs.set(pick, (jobs.get(pick) ?? 0) + 1);
  const isExhausted = batch.claimed.length + batch.superseded === 0 && batch.picked < reach;
  for (const [n, { queue, from }] of picks.entries()) {
    const count = jobs.get(n) ?? 0;
    if ((isExhausted || count === 0) && from === undefined) turns.leaveOut(queue);
    turns.gave(queue.class, count, starving());
  }
};

export const supply = (
  ports: SupplyPorts,
  scope: QueueScope,
  options: () => Omit<ClaimOptions, 'most' | 'startable'>,
): Supply => {
  const known = knownQueues(ports.desk, scope);
  const { turns } = known;
  const marks = lowWater();
  const trips = new Set<Trip>();
  /** Twins met by the last pick: the next one reaches behind them. */
  let twins = 0;

  /** The other lane may be bringing the last jobs of a higher class: going on to a lower one would overtake them. */
  const firstRank = async (): Promise<number | undefined> => {
    for (;;) {
      const [rank] = turns.ranks(performance.now());
      const ahead = [...trips].find((trip) => trip.rank < (rank ?? Infinity));
      if (rank === undefined || ahead === undefined) return rank;
      await ahead.over;
    }
  };

  const fetch = async (limit: number, startable: number): Promise<E.Either<StoreError, Supplied>> => {
    const reach = Math.min(MOST_PICKED, limit + 2 * twins);
    const picks = turns
      .plan(reach, performance.now(), known.starving())
      .map((pick) => ({ ...pick, from: marks.from(pick.queue) }));
    const tried: TriedClaim[] = [];
    const given = E.flatten(
      await ports.desk.withPicked(picks, async (session) =>
        E.map((batch: ClaimBatch): Given => ({ batch, session }))(
          await claimPicked(session, { ...options(), most: limit, startable }, tried),
        ),
      )(),
    );
    if (E.isLeft(given)) return E.map(asSupplied)(await inDoubt(ports, given, tried, options().lost));
    const { batch, session } = given.right;
    marks.learn(picks, session.picked, session.pickMs);
    twins = batch.twins;
    noteGiven(known, picks, given.right, reach);
    const claimed = batch.claimed.map((job) => ({ ...job, rank: rankIn(picks, job) }));
    const isDry = batch.picked === 0 && turns.ranks(performance.now()).length === 0;
    return E.right({ ...batch, claimed, isDry });
  };

  return {
    refresh: known.noteNews,
    claim: async (limit, startable) => {
      const refreshed = await known.refreshed();
      if (E.isLeft(refreshed)) return refreshed;
      const rank = await firstRank();
      if (rank === undefined) return E.right({ ...NOTHING, isDry: true });
      const fetching = fetch(limit, startable);
      const over = fetching.then(
        () => undefined,
        () => undefined,
      );
      const trip: Trip = { rank, over };
      trips.add(trip);
      try {
        return await fetching;
      } finally {
        trips.delete(trip);
      }
    },
  };
};

const asSupplied = (claimed: readonly HeldJob[]): Supplied => ({
  ...NOTHING,
  claimed,
  picked: claimed.length,
  isDry: false,
});
