/** A runner's coming and going. Renewals in between are not events (DESIGN.md §4). */
import * as t from 'io-ts';

export const RunnerStarted = t.type({
  id: t.string,
  host: t.string,
  ip: t.string,
  types: t.readonlyArray(t.string),
  concurrency: t.number,
  version: t.string,
});
export const RunnerStopped = t.type({ id: t.string, how: t.keyof({ drained: null, lost: null }) });

export const runnerEventCodecs = { RunnerStarted, RunnerStopped } as const;
