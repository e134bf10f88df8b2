/** All tables made from a long history by `jobledger project --until-caught-up`: events a second, and the process's memory. */
import type { Contestant } from '../contestants.js';
import { start } from '../child.js';
import { now } from '../programs/clock.mjs';
import { fillHistory } from './history.js';
import type { Bench } from './comparisons.js';

export interface CatchUp {
  readonly events: number;
  readonly eventsPerSecond: number;
  /** Megabytes. */
  readonly peak: number | undefined;
}

export const measureCatchUp = async (
  { ledger, sizes, report }: Bench,
  { projector }: Contestant,
): Promise<CatchUp> => {
  if (projector === undefined) throw new Error('there is no projector to measure');
  const long = await ledger();
  await fillHistory(long, sizes.caughtUp, report);
  await long.client.query('CHECKPOINT');
  const program = projector(long.url);
  const begun = now();
  const running = start({ ...program, args: [...program.args, '--until-caught-up'] });
  await running.ended;
  const seconds = (now() - begun) / 1_000;
  const { rows } = await long.client.query<{ events: string }>(
    'SELECT count(*)::text AS events FROM jobledger.event',
  );
  const events = Number(rows[0]?.events);
  return { events, eventsPerSecond: events / seconds, peak: running.memory()?.peak };
};
