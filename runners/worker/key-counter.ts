/** How often each key is held. */
export interface KeyCounter {
  /** From now on: which keys have been held at any time since. A look-up that began while a key was held may have missed its end. */
  readonly watch: () => (key: string) => boolean;
  readonly hold: (key: string) => void;
  readonly drop: (key: string) => void;
}

export const keyCounter = (): KeyCounter => {
  const held = new Map<string, number>();
  return {
    watch: () => {
      const before = new Set(held.keys());
      return (key) => before.has(key) || held.has(key);
    },
    hold: (key) => {
      held.set(key, (held.get(key) ?? 0) + 1);
    },
    drop: (key) => {
      const left = (held.get(key) ?? 1) - 1;
      if (left > 0) held.set(key, left);
      else held.delete(key);
    },
  };
};
