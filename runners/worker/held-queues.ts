/** Queues that limits hold back, each for a time, or until there may be room again. */
import type { ReadyQueue } from '../../projections/ports.js';
import { queueKey, type QueueName } from '../../domain/queue/scope.js';
import { rankedKey } from './turns.js';

/** How long a queue is held of which a job ended while it was found to be at its limit: those behind it have their turn. */
const ENDED_MEANWHILE_MS = 5;

export interface HeldQueues {
  /** Nothing to be had of it for so long, as was asked at `asked` and answered at `now`. `isTold`: not before, whatever happens. */
  readonly hold: (
    queue: ReadyQueue,
    forMs: number,
    found: { readonly asked: number; readonly now: number; readonly isTold: boolean },
  ) => void;
  /** A job of this queue has ended: what was held of it may be had again. */
  readonly noteEnd: (queue: QueueName, now: number) => void;
  readonly forgetEnds: () => void;
  /** What was held may be had again, unless its time is told. */
  readonly letGo: () => void;
  readonly isHeld: (queue: ReadyQueue, now: number) => boolean;
  /** When the next held queue is let go; undefined where none is held. */
  readonly heldUntil: (now: number) => number | undefined;
}

export const heldQueues = (): HeldQueues => {
  const held = new Map<string, { readonly until: number; readonly isTold: boolean }>();
  /** When a job of each queue ended last. */
  const ends = new Map<string, number>();
  return {
    hold: (queue, forMs, { asked, now, isTold }) => {
      const hasEnded = !isTold && (ends.get(queueKey(queue)) ?? -Infinity) >= asked;
      held.set(rankedKey(queue), {
        until: now + (hasEnded ? Math.min(ENDED_MEANWHILE_MS, forMs) : forMs),
        isTold,
      });
    },
    noteEnd: (queue, now) => {
      const key = queueKey(queue);
      ends.set(key, now);
      for (const [each, { isTold }] of held) if (!isTold && each.endsWith(`\n${key}`)) held.delete(each);
    },
    forgetEnds: () => ends.clear(),
    letGo: () => {
      for (const [key, { isTold }] of held) if (!isTold) held.delete(key);
    },
    isHeld: (queue, now) => held.size > 0 && (held.get(rankedKey(queue))?.until ?? 0) > now,
    heldUntil: (now) => {
      for (const [key, { until }] of held) if (until <= now) held.delete(key);
      return held.size === 0 ? undefined : Math.min(...[...held.values()].map(({ until }) => until));
    },
  };
};
