/** A record whose members may be missing, but never undefined. */
export type Defined<A> = {
  [K in keyof A as undefined extends A[K] ? never : K]: A[K];
} & {
  [K in keyof A as undefined extends A[K] ? K : never]?: Exclude<A[K], undefined>;
};

/** Drops the members that are undefined, so that an absent fact is absent in memory as it is in JSON. */
export const defined = <A extends object>(record: A): Defined<A> => {
  const kept: Partial<A> = {};
  for (const key of Object.keys(record) as (keyof A)[]) {
    if (record[key] !== undefined) kept[key] = record[key];
  }
  return kept as unknown as Defined<A>;
};
