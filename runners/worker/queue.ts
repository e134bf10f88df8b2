/** First in, first out, in constant time: an array's shift moves all that is left. */
export interface Queue<A> {
  readonly size: () => number;
  readonly first: () => A | undefined;
  readonly add: (item: A) => void;
  readonly take: () => A | undefined;
  readonly takeAll: () => readonly A[];
}

export const queueOf = <A>(): Queue<A> => {
  let items: A[] = [];
  let next = 0;
  return {
    size: () => items.length - next,
    first: () => items[next],
    add: (item) => {
      items.push(item);
    },
    take: () => {
      const item = items[next];
      if (next < items.length) next += 1;
      if (next === items.length) {
        items = [];
        next = 0;
      }
      return item;
    },
    takeAll: () => {
      const rest = items.slice(next);
      items = [];
      next = 0;
      return rest;
    },
  };
};
