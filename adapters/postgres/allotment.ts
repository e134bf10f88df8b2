/** What limits leave of the picks that were asked for. */
import type { HeldBack, Pick } from '../../projections/ports.js';

/** What is free under the limits of one scope; a limit that is not set is undefined. An empty wiki or type means all of them. */
export interface Room {
  readonly scope: string;
  readonly wiki: string;
  readonly type: string;
  /** False where jobs may run that have no slot yet: they were claimed before there was a limit. */
  readonly isOpen: boolean;
  readonly slots: number | undefined;
  /** Jobs that may be begun at this moment, and when there will be more. */
  readonly jobs: number | undefined;
  readonly jobsInMs: number | undefined;
  /** Items that have not been used, and when what was used too much will be paid. Undefined where none were used lately. */
  readonly items: number | undefined;
  readonly itemsInMs: number | undefined;
  /** As measured of late. */
  readonly itemsPerJob: number | undefined;
  readonly hasItemLimit: boolean;
}

export interface Allotment {
  readonly rooms: readonly Room[];
  /** The picks asked for, with the limits that they are left with. */
  readonly picks: readonly Pick[];
  readonly heldBack: readonly HeldBack[];
  /** Some scope's slots are not complete: nothing of it is given before. */
  readonly isIncomplete: boolean;
}

/** Where nothing is known of a queue's jobs, one is let through and measured. */
const byItems = ({ hasItemLimit, items, itemsPerJob }: Room): number => {
  if (!hasItemLimit) return Infinity;
  if (items === undefined || itemsPerJob === undefined) return 1;
  return items < 0 ? 0 : Math.max(1, Math.floor(items / Math.max(1, itemsPerJob)));
};

const bySlots = ({ slots, isOpen }: Room): number =>
  slots === undefined ? Infinity : isOpen ? Math.max(0, slots) : 0;

const free = (room: Room): number =>
  Math.min(bySlots(room), Math.max(0, room.jobs ?? Infinity), byItems(room));

const waitOf = (room: Room): number | undefined => {
  if (bySlots(room) === 0) return undefined;
  return byItems(room) === 0 ? room.itemsInMs : room.jobsInMs;
};

export const allot = (picks: readonly Pick[], rooms: readonly Room[]): Allotment => {
  const left = new Map(rooms.map((room) => [room, free(room)]));
  const heldBack: HeldBack[] = [];
  const allowed = picks.map((pick, n) => {
    const { wiki, type } = pick.queue;
    const own = rooms.filter((room) => ['', wiki].includes(room.wiki) && ['', type].includes(room.type));
    const limit = Math.min(pick.limit, ...own.map((room) => left.get(room) ?? 0));
    for (const room of own) left.set(room, (left.get(room) ?? 0) - limit);
    if (limit <= 0) {
      const waits = own.filter((room) => free(room) <= 0).map(waitOf);
      const times = waits.filter((wait) => wait !== undefined);
      heldBack.push({ pick: n, inMs: times.length === waits.length ? Math.max(0, ...times) : undefined });
    }
    return { ...pick, limit };
  });
  const isIncomplete = rooms.some((room) => room.slots !== undefined && !room.isOpen);
  return { rooms, picks: allowed, heldBack, isIncomplete };
};
