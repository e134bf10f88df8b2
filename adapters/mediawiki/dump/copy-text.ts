/** One line of PostgreSQL's COPY text format. */
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const ESCAPED = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|([^]))/g;
const BACKSLASH = 0x5c;
const TAB = 0x09;

const unescaped = (field: Buffer): Buffer => {
  if (!field.includes(BACKSLASH)) return field;
  const plain = field
    .toString('latin1')
    .replace(ESCAPED, (_all, octal?: string, hex?: string, character = '') => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return ESCAPES[String(character)] ?? String(character);
    });
  return Buffer.from(plain, 'latin1');
};

const isNull = (field: Buffer): boolean => field.length === 2 && field[0] === BACKSLASH && field[1] === 0x4e;

/** The values of a line without its newline. */
export const copyValues = (line: Buffer): (Buffer | null)[] => {
  const values: (Buffer | null)[] = [];
  for (let at = 0; at <= line.length;) {
    const tab = line.indexOf(TAB, at);
    const field = line.subarray(at, tab < 0 ? line.length : tab);
    values.push(isNull(field) ? null : unescaped(field));
    if (tab < 0) break;
    at = tab + 1;
  }
  return values;
};
