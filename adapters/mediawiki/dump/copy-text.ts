/** One line of PostgreSQL's COPY text format. */
import { escapesOf } from './unescape.js';

const ESCAPES = escapesOf({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' });
const BACKSLASH = 0x5c;
const TAB = 0x09;
const CAPITAL_N = 0x4e;
/** A byte by its number; pg_dump does not write it so, but COPY reads it. */
const NUMBERED = /^(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2}))/;

const unescaped = (field: Buffer): Buffer => {
  if (!field.includes(BACKSLASH)) return field;
  const plain = Buffer.allocUnsafe(field.length);
  let length = 0;
  for (let at = 0; at < field.length; at += 1) {
    let byte = field[at] ?? 0;
    if (byte === BACKSLASH) {
      const [digits, octal, hex = ''] = NUMBERED.exec(field.toString('latin1', at + 1, at + 4)) ?? [];
      byte = ESCAPES[field[at + 1] ?? BACKSLASH] ?? byte;
      if (digits !== undefined)
        byte = octal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(octal, 8);
      at += digits?.length ?? 1;
    }
    plain[length] = byte;
    length += 1;
  }
  return plain.subarray(0, length);
};

const isNull = (field: Buffer): boolean =>
  field.length === 2 && field[0] === BACKSLASH && field[1] === CAPITAL_N;

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
