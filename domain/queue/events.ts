/** What operators decided about a queue. A missing wiki or type means all of them. */
import * as t from 'io-ts';
import { JobClass } from '../job/facts.js';

const scope = t.partial({ wiki: t.string, type: t.string });

export const QueuePaused = t.intersection([scope, t.type({ why: t.string })]);
export const QueueResumed = t.intersection([scope, t.type({ why: t.string })]);
export const QueueConfigured = t.intersection([
  scope,
  t.partial({
    class: JobClass,
    weight: t.number,
    order: t.keyof({ fifo: null, timestamp: null, random: null }),
    limits: t.partial({ running: t.number, perSecond: t.number, itemsPerSecond: t.number }),
  }),
]);

export const queueEventCodecs = { QueuePaused, QueueResumed, QueueConfigured } as const;
