/**
 * Trips to the claim desk that have not come back. The other lane may be bringing the last jobs of a higher class: what goes on to a lower
 * one waits for it.
 */
interface Trip {
  readonly rank: number;
  readonly over: Promise<void>;
}

export interface Trips {
  /** The rank to pick from, once no trip to a higher class is under way; undefined where nothing is left. */
  readonly clearWay: (firstRank: () => number | undefined) => Promise<number | undefined>;
  readonly during: <A>(rank: number, travelling: Promise<A>) => Promise<A>;
}

const ignore = (): void => undefined;

export const tripsUnderWay = (): Trips => {
  const trips = new Set<Trip>();
  return {
    clearWay: async (firstRank) => {
      for (;;) {
        const rank = firstRank();
        const ahead = [...trips].find((trip) => trip.rank < (rank ?? Infinity));
        if (rank === undefined || ahead === undefined) return rank;
        await ahead.over;
      }
    },
    during: async (rank, travelling) => {
      const trip: Trip = { rank, over: travelling.then(ignore, ignore) };
      trips.add(trip);
      try {
        return await travelling;
      } finally {
        trips.delete(trip);
      }
    },
  };
};
