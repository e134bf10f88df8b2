/** The life of a schedule: what is to fire, what fired, what was missed and what became of it. */
import * as t from 'io-ts';

const named = { name: t.string };

export const ScheduleDefined = t.intersection([
  t.type({
    ...named,
    cron: t.string,
    zone: t.string,
    type: t.string,
    wiki: t.string,
    shardingItems: t.number,
  }),
  t.partial({ misfire: t.keyof({ 'make-up': null, skip: null }), params: t.UnknownRecord }),
]);
export const ScheduleFired = t.type({ ...named, slot: t.string, items: t.number });
export const ScheduleMissed = t.type({
  ...named,
  slot: t.string,
  decision: t.keyof({ 'made-up': null, skipped: null }),
});
export const ScheduleRemoved = t.type({ ...named, why: t.string });

export const scheduleEventCodecs = {
  ScheduleDefined,
  ScheduleFired,
  ScheduleMissed,
  ScheduleRemoved,
} as const;
