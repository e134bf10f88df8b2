/** First in, first out within each class, smaller ranks first; in constant time: an array's shift moves all that is left. */
export interface Queue<A> {
  readonly size: () => number;
  readonly first: () => A | undefined;
  readonly add: (item: A, rank: number) => void;
  readonly take: () => A | undefined;
  readonly takeAll: () => readonly A[];
}

interface Line<A> {
  items: A[];
  next: number;
}

export const queueOf = <A>(): Queue<A> => {
  /** By rank; few. */
  const lines: Line<A>[] = [];
  let size = 0;

  const firstLine = (): Line<A> | undefined =>
    size === 0 ? undefined : lines.find(({ items, next }) => next < items.length);

  return {
    size: () => size,
    first: () => {
      const line = firstLine();
      return line?.items[line.next];
    },
    add: (item, rank) => {
      while (lines.length <= rank) lines.push({ items: [], next: 0 });
      lines[rank]?.items.push(item);
      size += 1;
    },
    take: () => {
      const line = firstLine();
      if (line === undefined) return undefined;
      const item = line.items[line.next];
      line.next += 1;
      size -= 1;
      if (line.next === line.items.length) Object.assign(line, { items: [], next: 0 });
      return item;
    },
    takeAll: () => {
      const rest = lines.flatMap(({ items, next }) => items.slice(next));
      lines.length = 0;
      size = 0;
      return rest;
    },
  };
};
