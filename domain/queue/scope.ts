/** What a decision about queues holds for: one queue, a type across wikis, a wiki, or everything. */
export interface Scope {
  /** Undefined: every wiki. */
  readonly wiki: string | undefined;
  /** Undefined: every type. */
  readonly type: string | undefined;
}

/** The jobs of one type on one wiki. */
export interface QueueName {
  readonly wiki: string;
  readonly type: string;
}

/** The same for no two queues: neither name may hold a line's end. */
export const queueKey = ({ wiki, type }: QueueName): string => `${type}\n${wiki}`;

/** The scopes that a queue lies in, the narrowest first. */
export const scopesOf = ({ wiki, type }: QueueName): readonly Scope[] => [
  { wiki, type },
  { wiki: undefined, type },
  { wiki, type: undefined },
  { wiki: undefined, type: undefined },
];

export const isSameScope = (one: Scope, other: Scope): boolean =>
  one.wiki === other.wiki && one.type === other.type;

/** True where all that `inner` holds for lies in `outer` too. */
export const covers = (outer: Scope, inner: Scope): boolean =>
  (outer.wiki === undefined || outer.wiki === inner.wiki) &&
  (outer.type === undefined || outer.type === inner.type);

export const scopeInWords = ({ wiki, type }: Scope): string => {
  if (wiki === undefined) return type === undefined ? 'every queue' : `${type} on every wiki`;
  return type === undefined ? `every type on ${wiki}` : `${type} on ${wiki}`;
};
