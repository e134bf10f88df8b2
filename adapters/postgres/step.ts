/**
 * Takes projections through history by a page at a time, each in transactions of its own, from a checkpoint of its own. Those that
 * stand at the same position share the reading and decoding of a page; the next page is read while this one is written. None waits
 * for one that has further to go for longer than a page of it takes, nor for one that is held up, by somebody's lock say: what runners
 * depend on stays close to the end of history while a table is made afresh beside it.
 */
import type pg from 'pg';
import type { Position } from '../../domain/ledger.js';
import type { EventStore, Page } from '../../domain/ports.js';
import { pause, pauseFor } from '../pause.js';
import { advance, refreshTrack, type Track } from './advance.js';
import { decodeOnce, type Decode } from './fold-page.js';
import { succeeded } from './outcome.js';

export interface StepOptions {
  readonly store: Pick<EventStore, 'readAll' | 'end'>;
  readonly pageSize?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  /** Of the projection. */
  readonly name: string;
  readonly position: Position;
  readonly until: Position;
}

const PAGE_SIZE = 5_000;
/** How long a projector whose checkpoint was moved by another leaves it alone before it looks whether the other goes on. */
const WATCH_MS = 50;
/** How long the others of a group wait for one of them. Apart, each reads for itself. */
const HELD_UP_MS = 5_000;

const typesOf = (tracks: readonly Track[]): readonly string[] => [
  ...new Set(tracks.flatMap(({ projection }) => projection.handles)),
];

const together = (tracks: readonly Track[]): readonly (readonly Track[])[] => {
  const groups = new Map<Position, Track[]>();
  for (const track of tracks) groups.set(track.position, [...(groups.get(track.position) ?? []), track]);
  return [...groups.values()];
};

interface ReadAhead {
  readonly after: Position;
  readonly types: string;
  readonly page: Promise<Page>;
}

/** Pages for tracks that stand together, read one ahead. */
const pageReader = ({ store, pageSize = PAGE_SIZE }: StepOptions) => {
  /** By the first of the group. */
  const ahead = new Map<Track, ReadAhead>();

  return async (group: readonly Track[], after: Position, upTo: Position): Promise<Page> => {
    const types = typesOf(group);
    const key = types.join();
    const [first] = group;
    if (first === undefined) return { events: [], upTo: after };
    const read = (from: Position): Promise<Page> =>
      succeeded(store.readAll({ after: from, upTo, types, limit: pageSize }));
    const kept = ahead.get(first);
    ahead.delete(first);
    const page = await (kept?.after === after && kept.types === key ? kept.page : read(after));
    if (page.upTo > after && page.upTo < upTo) {
      const next = { after: page.upTo, types: key, page: read(page.upTo) };
      next.page.catch(() => undefined); // whoever asks for it hears of it
      ahead.set(first, next);
    }
    return page;
  };
};

/** Tracks that another projector moves: as long as it does, there is nothing to do here. */
const watcher = (db: pg.Pool) => {
  const watched = new Map<Track, { readonly position: Position; readonly lookAt: number }>();
  const watch = (track: Track): void => {
    watched.set(track, { position: track.position, lookAt: performance.now() + WATCH_MS });
  };

  const isLeftToOther = async (track: Track): Promise<boolean> => {
    const seen = watched.get(track);
    if (seen === undefined) return false;
    if (performance.now() < seen.lookAt) return true;
    await refreshTrack(db, track);
    watched.delete(track);
    if (track.halt !== undefined || track.position === seen.position) return track.halt !== undefined;
    watch(track);
    return true;
  };

  return {
    overtaken: async (track: Track): Promise<void> => {
      await refreshTrack(db, track);
      watch(track);
    },
    free: async (tracks: readonly Track[]): Promise<readonly Track[]> => {
      const isLeft = await Promise.all(tracks.map(isLeftToOther));
      return tracks.filter((_, index) => isLeft[index] === false);
    },
  };
};

export interface Stepper {
  /**
   * Takes each track that is behind `until` a page on; false where there is none, but for those that have halted. Fails where one of
   * them fails; the others have been taken on.
   */
  readonly step: (until: Position) => Promise<boolean>;
  /** Settles when nothing is under way any more. */
  readonly idle: () => Promise<void>;
}

export const stepper = (db: pg.Pool, options: StepOptions, tracks: readonly Track[]): Stepper => {
  const pageFor = pageReader(options);
  const others = watcher(db);
  const underWay = new Map<Track, Promise<void>>();
  const failures: unknown[] = [];

  const takeOn = async (track: Track, from: Position, page: Page, decode: Decode): Promise<void> => {
    const outcome = await advance(db, track, from, page, decode);
    if (outcome === 'overtaken') await others.overtaken(track);
  };

  const begin = (group: readonly Track[], until: Position): void => {
    const from = group[0]?.position ?? until;
    const reading = pageFor(group, from, until);
    const decode = decodeOnce();
    for (const track of group) {
      const work = async (): Promise<void> => {
        try {
          const page = await reading;
          await takeOn(track, from, page, decode);
          options.onProgress?.({ name: track.projection.name, position: page.upTo, until });
        } catch (error) {
          failures.push(error);
        } finally {
          underWay.delete(track);
        }
      };
      underWay.set(track, work());
    }
  };

  /** Those that began together go on together, but for one that is held up. */
  const waitForStep = async (begun: readonly Track[]): Promise<void> => {
    const works = begun.flatMap((track) => underWay.get(track) ?? []);
    const late = [...underWay.values()];
    if (works.length > 0) await pauseFor(Promise.all(works), performance.now() + HELD_UP_MS);
    else if (late.length > 0) await pauseFor(Promise.race(late), performance.now() + WATCH_MS);
    else await pause(WATCH_MS);
  };

  return {
    step: async (until) => {
      const behind = tracks.filter(({ halt, position }) => halt === undefined && position < until);
      if (behind.length === 0) return false;
      const free = await others.free(behind.filter((track) => !underWay.has(track)));
      for (const group of together(free)) begin(group, until);
      await waitForStep(free);
      if (failures.length > 0) throw failures.splice(0)[0];
      return true;
    },
    idle: async () => {
      await Promise.all(underWay.values());
    },
  };
};
