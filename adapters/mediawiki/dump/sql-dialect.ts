/** MySQL and MariaDB take a backslash in a text as an escape; standard SQL (PostgreSQL, SQLite) does not. */
export type SqlDialect = 'mysql' | 'standard';

export const BACKSLASH = 0x5c;
export const SINGLE_QUOTE = 0x27;
export const DOUBLE_QUOTE = 0x22;
export const BACKTICK = 0x60;

/** True where the quote at `at` opens a text in which a backslash escapes: always in MySQL, behind an E in PostgreSQL. */
export const escapesIn = (bytes: Buffer, at: number, dialect: SqlDialect): boolean =>
  bytes[at] !== BACKTICK && (dialect === 'mysql' || ((bytes[at - 1] ?? 0) | 0x20) === 0x65);

/** Behind the closing quote, or undefined where it is not there. A doubled quote does not close. */
export const closingQuote = (bytes: Buffer, at: number, escapes: boolean): number | undefined => {
  const quote = bytes[at];
  for (let next = at + 1; next < bytes.length; next += 1) {
    const byte = bytes[next];
    if (byte === BACKSLASH && escapes) next += 1;
    else if (byte === quote) {
      if (bytes[next + 1] !== quote) return next + 1;
      next += 1;
    }
  }
  return undefined;
};
