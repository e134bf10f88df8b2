const SHA1_DIGITS = 31;

/** A hexadecimal SHA-1 in lower-case base 36, padded to 31 characters, as MediaWiki stores it. */
export const base36OfHex = (hex: string): string =>
  BigInt(`0x${hex}`).toString(36).padStart(SHA1_DIGITS, '0');
