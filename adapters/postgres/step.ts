/**
 * Takes projections through history by a page at a time, each in transactions of its own, from a checkpoint of its own. Those that
 * stand at the same position share the reading and decoding of a page; the next page is read while this one is written. None waits
 * for one that has further to go for longer than a page of it takes: what runners depend on stays close to the end of history while
 * a table is made afresh beside it.
 */
import type pg from 'pg';
import type { Position } from '../../domain/ledger.js';
import type { EventStore, Page } from '../../domain/ports.js';
import { pause } from '../pause.js';
import { advance, refreshTrack, type Track } from './advance.js';
import { decodeOnce } from './fold-page.js';
import { succeeded } from './outcome.js';

export interface StepOptions {
  readonly store: Pick<EventStore, 'readAll' | 'end'>;
  readonly pageSize?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly names: readonly string[];
  readonly position: Position;
  readonly until: Position;
}

const PAGE_SIZE = 5_000;
/** How long a projector whose checkpoint was moved by another leaves it alone before it looks whether the other goes on. */
const WATCH_MS = 50;

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
    const [first] = group;
    if (first === undefined) return { events: [], upTo: after };
    const read = (from: Position): Promise<Page> =>
      succeeded(store.readAll({ after: from, upTo, types, limit: pageSize }));
    const kept = ahead.get(first);
    ahead.delete(first);
    const page = await (kept?.after === after && kept.types === types.join() ? kept.page : read(after));
    if (page.events.length >= pageSize && page.upTo < upTo) {
      const next = { after: page.upTo, types: types.join(), page: read(page.upTo) };
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

/** Takes each track that is behind `until` a page on; false where there is none, but for those that have halted. */
export const stepper = (
  db: pg.Pool,
  options: StepOptions,
  tracks: readonly Track[],
): ((until: Position) => Promise<boolean>) => {
  const pageFor = pageReader(options);
  const others = watcher(db);

  const take = async (group: readonly Track[], until: Position): Promise<void> => {
    const page = await pageFor(group, group[0]?.position ?? until, until);
    const decode = decodeOnce();
    const outcomes = await Promise.all(group.map((track) => advance(db, track, page, decode)));
    await Promise.all(group.filter((_, index) => outcomes[index] === 'overtaken').map(others.overtaken));
    const names = group.map(({ projection }) => projection.name);
    options.onProgress?.({ names, position: page.upTo, until });
  };

  return async (until) => {
    const behind = tracks.filter(({ halt, position }) => halt === undefined && position < until);
    if (behind.length === 0) return false;
    const free = await others.free(behind);
    if (free.length === 0) await pause(WATCH_MS);
    await Promise.all(together(free).map((group) => take(group, until)));
    return true;
  };
};
