/** What a runner has measured of itself: how long a handler holds its slot, and how long a start takes to be durable. */
export interface Tempo {
  readonly handled: (milliseconds: number) => void;
  readonly travelled: (milliseconds: number) => void;
  /** How many handlers so many slots can call while one trip is under way; 0 until both have been measured. */
  readonly callsPerTrip: (slots: number) => number;
}

/** A moving average that forgets within some tens of measures. */
const average = () => {
  let value: number | undefined;
  return {
    add: (measure: number): void => {
      value = value === undefined ? measure : value + (measure - value) * 0.05;
    },
    value: (): number | undefined => value,
  };
};

/** The clock is not finer. */
const LEAST_MS = 0.01;

export const measuredTempo = (): Tempo => {
  const handler = average();
  const trip = average();
  return {
    handled: handler.add,
    travelled: trip.add,
    callsPerTrip: (slots) => {
      const [held, travelled] = [handler.value(), trip.value()];
      return held === undefined || travelled === undefined
        ? 0
        : Math.floor((slots * travelled) / Math.max(held, LEAST_MS));
    },
  };
};
