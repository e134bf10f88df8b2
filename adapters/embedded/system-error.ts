// Reads what the operating system says in a thrown error.
export const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;

export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

// For files that may not be there: what is missing is undefined, every other failure stays one.
export const unlessMissing = async <A>(work: Promise<A>): Promise<A | undefined> => {
  try {
    return await work;
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw cause;
  }
};
