/** How often each key is held, and which were while somebody watched. */
export interface KeyCounter {
  readonly watch: () => Watch;
  readonly hold: (key: string) => void;
  readonly drop: (key: string) => void;
}

/** A look-up that began while a key was held, or was then held and dropped beside it, may have missed its end. */
export interface Watch {
  /** Held when the watch began, or at any time since. */
  readonly wasHeld: (key: string) => boolean;
  readonly end: () => void;
}

export const keyCounter = (): KeyCounter => {
  const held = new Map<string, number>();
  const watches = new Set<Set<string>>();
  return {
    watch: () => {
      const seen = new Set(held.keys());
      watches.add(seen);
      return { wasHeld: (key) => seen.has(key), end: () => void watches.delete(seen) };
    },
    hold: (key) => {
      held.set(key, (held.get(key) ?? 0) + 1);
      for (const seen of watches) seen.add(key);
    },
    drop: (key) => {
      const left = (held.get(key) ?? 1) - 1;
      if (left > 0) held.set(key, left);
      else held.delete(key);
    },
  };
};
