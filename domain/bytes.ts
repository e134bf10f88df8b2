/** Length of a text in UTF-8, in bytes. Lone surrogates count 3, as the replacement character they would become. */
export const utf8Length = (text: string): number => {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
};

/** True where the text holds half of a surrogate pair, which UTF-8 and PostgreSQL cannot store. */
export const hasLoneSurrogate = (text: string): boolean => !text.isWellFormed();

/** The text cut to at most `limit` characters (code points, as PostgreSQL's varchar counts), ending in a mark where it was cut. */
export const shortened = (text: string, limit: number, mark = '…'): string => {
  if (text.length <= limit) return text;
  const characters = Array.from(text);
  return characters.length <= limit ? text : characters.slice(0, limit - mark.length).join('') + mark;
};
