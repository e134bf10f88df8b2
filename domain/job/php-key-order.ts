/**
 * The order in which ksort() of PHP 8.2 puts the keys of an array. PHP's comparison is not transitive where keys like "10x"
 * stand beside integers; PHP's result then depends on its sorting algorithm, and is not reproduced.
 */
const NUMERIC = /^[ \t\n\r\v\f]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t\n\r\v\f]*$/;
const INTEGER = /^[+-]?[0-9]+$/;

/** By code points, which is the order of the UTF-8 bytes; JavaScript's own < goes by UTF-16 units. */
const compareBytes = (left: string, right: string): number => {
  const rightPoints = right[Symbol.iterator]();
  for (const character of left) {
    const other = rightPoints.next();
    if (other.done === true) return 1;
    if (character !== other.value) return (character.codePointAt(0) ?? 0) - (other.value.codePointAt(0) ?? 0);
  }
  return rightPoints.next().done === true ? 0 : -1;
};

const integer = (text: string): bigint => BigInt(text.replace('+', ''));

const compareNumbers = (left: string, right: string): number => {
  const [a, b] = [left.trim(), right.trim()];
  if (INTEGER.test(a) && INTEGER.test(b)) return Number(integer(a) - integer(b));
  return Number(a) - Number(b);
};

export const comparePhpKeys = (left: string, right: string): number => {
  const bothNumeric = NUMERIC.test(left) && NUMERIC.test(right);
  return bothNumeric ? compareNumbers(left, right) : compareBytes(left, right);
};

/** One order for all keys, also where PHP's own depends on how they stood before. */
export const inByteOrder = <A>(
  entries: readonly (readonly [string, A])[],
): readonly (readonly [string, A])[] => entries.toSorted(([left], [right]) => compareBytes(left, right));
