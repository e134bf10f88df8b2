/** Takes the escapes out of a text, byte by byte: a dumped binary column may hold anything, in megabytes. */
const BACKSLASH = 0x5c;

/** What each byte stands for behind a backslash. */
export type Escapes = Uint8Array;

export const escapesOf = (meanings: Readonly<Record<string, string>>): Escapes => {
  const table = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const [letter, meaning] of Object.entries(meanings)) {
    table[letter.charCodeAt(0)] = meaning.charCodeAt(0);
  }
  return table;
};

/** `inner`: what stands between two `quote`s, where a doubled one stands for one. Without `escapes` a backslash is itself. */
export const unescaped = (inner: Buffer, quote: number, escapes?: Escapes): Buffer => {
  if (!inner.includes(quote) && (escapes === undefined || !inner.includes(BACKSLASH))) return inner;
  const plain = Buffer.allocUnsafe(inner.length);
  let length = 0;
  for (let at = 0; at < inner.length; at += 1) {
    const byte = inner[at] ?? 0;
    if (byte === BACKSLASH && escapes !== undefined) {
      at += 1;
      plain[length] = escapes[inner[at] ?? BACKSLASH] ?? byte;
    } else {
      if (byte === quote) at += 1;
      plain[length] = byte;
    }
    length += 1;
  }
  return plain.subarray(0, length);
};
