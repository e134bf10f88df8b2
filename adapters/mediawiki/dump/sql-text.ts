/** What a text literal stands for, byte by byte: a dump of a binary column is not UTF-8. */
const MYSQL_ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\u001a',
  '%': '\\%',
  _: '\\_',
};
const POSTGRES_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const replaced = (text: string, escapes: Readonly<Record<string, string>>, quote: string): string =>
  text.replace(/\\([^])|''|""/g, (pair, escaped?: string) => {
    if (escaped !== undefined) return escapes[escaped] ?? escaped;
    return pair === quote + quote ? quote : pair;
  });

/** `literal` with its quotes. */
export const quotedText = (literal: Buffer, escapes: 'mysql' | 'postgres' | 'none'): Buffer => {
  const quote = literal.toString('latin1', 0, 1);
  const inner = literal.subarray(1, -1);
  if (!inner.includes('\\') && !inner.includes(quote)) return inner;
  const text = inner.toString('latin1');
  if (escapes === 'none') return Buffer.from(text.replaceAll(quote + quote, quote), 'latin1');
  return Buffer.from(replaced(text, escapes === 'mysql' ? MYSQL_ESCAPES : POSTGRES_ESCAPES, quote), 'latin1');
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
