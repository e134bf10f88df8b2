/** Goes over statements of other tables, of any size, without keeping them: the state between two pieces is one mode. */
import { type ByteWindow, more, moveTo } from './byte-window.js';
import { BACKSLASH, BACKTICK, DOUBLE_QUOTE, SINGLE_QUOTE, type SqlDialect } from './sql-dialect.js';

type Mode =
  | { readonly _tag: 'Plain' }
  | { readonly _tag: 'Quoted'; readonly quote: number; readonly escapes: boolean }
  | { readonly _tag: 'Until'; readonly end: string };

interface Piece {
  readonly from: number;
  readonly limit: number;
  readonly dialect: SqlDialect;
}

interface Step {
  readonly at: number;
  readonly mode: Mode;
  readonly done: boolean;
}

const SEMICOLON = 0x3b;
const MINUS = 0x2d;
const SLASH = 0x2f;
const STAR = 0x2a;
const DOLLAR = 0x24;
const PLAIN: Mode = { _tag: 'Plain' };
/** Steps begin only this far from the end of a piece, so that no comment sign, escape or dollar tag is torn apart. */
const LOOK_AHEAD = 70;

const isQuote = (byte: number | undefined): byte is number =>
  byte === SINGLE_QUOTE || byte === DOUBLE_QUOTE || byte === BACKTICK;

const isE = (byte = 0): boolean => (byte | 0x20) === 0x65;

/** What begins at a byte that may begin a comment, a text in dollars or one behind an E; undefined where it does not. */
const opened = (
  bytes: Buffer,
  at: number,
  dialect: SqlDialect,
): { mode: Mode; length: number } | undefined => {
  const next = bytes[at + 1];
  if (bytes[at] === MINUS && next === MINUS) return { mode: { _tag: 'Until', end: '\n' }, length: 2 };
  if (bytes[at] === SLASH && next === STAR) return { mode: { _tag: 'Until', end: '*/' }, length: 2 };
  if (dialect === 'mysql') return undefined;
  if (isE(bytes[at]) && next === SINGLE_QUOTE) {
    return { mode: { _tag: 'Quoted', quote: SINGLE_QUOTE, escapes: true }, length: 2 };
  }
  if (bytes[at] !== DOLLAR) return undefined;
  const tag = /^\$(?:[A-Za-z_]\w*)?\$/.exec(bytes.toString('latin1', at, at + LOOK_AHEAD))?.[0];
  return tag === undefined ? undefined : { mode: { _tag: 'Until', end: tag }, length: tag.length };
};

const mayOpen = (byte: number | undefined): boolean =>
  byte === MINUS || byte === SLASH || byte === DOLLAR || isE(byte);

const plainStep = (bytes: Buffer, { from, limit, dialect }: Piece): Step => {
  for (let at = from; at < limit; at += 1) {
    const byte = bytes[at];
    if (byte === SEMICOLON) return { at: at + 1, mode: PLAIN, done: true };
    if (isQuote(byte)) {
      const escapes = dialect === 'mysql' && byte !== BACKTICK;
      return { at: at + 1, mode: { _tag: 'Quoted', quote: byte, escapes }, done: false };
    }
    if (!mayOpen(byte)) continue;
    const begun = opened(bytes, at, dialect);
    if (begun !== undefined) return { at: at + begun.length, mode: begun.mode, done: false };
  }
  return { at: limit, mode: PLAIN, done: false };
};

/** A doubled quote closes and opens again, which comes to the same. */
const quotedStep = (bytes: Buffer, { from, limit }: Piece, mode: Mode & { _tag: 'Quoted' }): Step => {
  let at = from;
  for (; at < limit; at += 1) {
    if (bytes[at] === BACKSLASH && mode.escapes) at += 1;
    else if (bytes[at] === mode.quote) return { at: at + 1, mode: PLAIN, done: false };
  }
  return { at, mode, done: false };
};

const untilStep = (bytes: Buffer, { from, limit }: Piece, mode: Mode & { _tag: 'Until' }): Step => {
  const end = bytes.indexOf(mode.end, from);
  if (end < 0) return { at: limit, mode, done: false };
  return { at: end + mode.end.length, mode: PLAIN, done: false };
};

const step = (bytes: Buffer, piece: Piece, mode: Mode): Step => {
  switch (mode._tag) {
    case 'Plain':
      return plainStep(bytes, piece);
    case 'Quoted':
      return quotedStep(bytes, piece, mode);
    case 'Until':
      return untilStep(bytes, piece, mode);
  }
};

/** Goes behind the next semicolon outside of texts and comments; false where the file ends before. */
export const skipStatement = async (window: ByteWindow, dialect: SqlDialect): Promise<boolean> => {
  let mode: Mode = PLAIN;
  for (let ended = false; ; ended = !(await more(window))) {
    const limit = ended ? window.bytes.length : window.bytes.length - LOOK_AHEAD;
    while (window.at < limit) {
      const next = step(window.bytes, { from: window.at, limit, dialect }, mode);
      moveTo(window, next.at);
      mode = next.mode;
      if (next.done) return true;
    }
    if (ended) return false;
  }
};
