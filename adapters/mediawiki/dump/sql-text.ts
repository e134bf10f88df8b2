/** What a text literal of SQL stands for, in bytes. */
import { escapesOf, unescaped } from './unescape.js';

const MYSQL = escapesOf({ '0': '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\u001a' });
const POSTGRES = escapesOf({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' });

/** `literal` with its quotes. */
export const quotedText = (literal: Buffer, escapes: 'mysql' | 'postgres' | 'none'): Buffer => {
  const inner = literal.subarray(1, -1);
  const quote = literal[0] ?? 0;
  if (escapes === 'none') return unescaped(inner, quote);
  return unescaped(inner, quote, escapes === 'mysql' ? MYSQL : POSTGRES);
};

const MAX_CODE_POINT = 0x10ffff;

export const characterOf = (code: number): Buffer =>
  Buffer.from(code <= MAX_CODE_POINT ? String.fromCodePoint(code) : '\ufffd');

const UNISTR = /\\(?:\\|u([0-9a-fA-F]{4})|\+([0-9a-fA-F]{6})|U([0-9a-fA-F]{8})|([0-9a-fA-F]{4}))/g;

/** SQLite's unistr(): its newer `.dump` writes control characters so. */
export const unistr = (text: Buffer): Buffer => {
  const plain = text.toString('latin1').replace(UNISTR, (_all, ...groups: (string | undefined)[]) => {
    const digits = groups.slice(0, 4).find((group) => group !== undefined);
    return digits === undefined ? '\\' : characterOf(Number.parseInt(digits, 16)).toString('latin1');
  });
  return Buffer.from(plain, 'latin1');
};
