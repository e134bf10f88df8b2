/** The known name that was probably meant. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The nearest of the known names, if it is near enough to be a slip of the pen. */
export const nearest = (name: string, known: readonly string[]): string | undefined => {
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.max(2, Math.floor(name.length / 3))
    ? best.candidate
    : undefined;
};

/** `unknown NAME; did you mean OTHER?` */
export const unknownName = (what: string, name: string, known: readonly string[]): string => {
  const meant = nearest(name, known);
  return meant === undefined
    ? `unknown ${what} "${name}"`
    : `unknown ${what} "${name}"; did you mean "${meant}"?`;
};
