/** What a handler returned, made storable: a result is never refused, what cannot be stored is replaced by a mark. */
import type { Json } from '../json.js';

const MAX_RESULT_CHARACTERS = 16_000;
const BACKSLASH = '\\\\';
/** JSON writes NUL and halves of surrogate pairs as escapes; an escaped backslash in front of them is none of theirs. */
const UNSTORABLE = /\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g;

/** Undefined where there is nothing to keep. */
export const storableResult = (value: unknown): Json | undefined => {
  if (value === undefined || value === null || value === true) return undefined;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    return { unstorable: typeof value === 'bigint' ? 'a bigint' : 'a value that JSON cannot carry' };
  }
  if (text === undefined) return { unstorable: `a ${typeof value}` };
  if (text.length > MAX_RESULT_CHARACTERS)
    return { unstorable: 'a result too large to keep', characters: text.length };
  return parsed(text.replace(UNSTORABLE, (escape) => (escape === BACKSLASH ? escape : '\\ufffd')));
};

const parsed = (text: string): Json => {
  const value: unknown = JSON.parse(text);
  return value as Json;
};
