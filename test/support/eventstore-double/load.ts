// How many calls of a kind are under way.
export interface Load {
  underWay: number;
  /** Most at a time so far. */
  most: number;
}

export const begin = (load: Load): void => {
  load.underWay += 1;
  load.most = Math.max(load.most, load.underWay);
};
