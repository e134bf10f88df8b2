/**
 * A `text[]` or `json[]` parameter in PostgreSQL's binary format: nothing to escape here, nothing to unescape there.
 * As array literals 1,000 events cost 94 ms a statement, as JSON 73, so 57 (20 events: 2.4, 2.7, 2.3; two noisy cores).
 */
const TEXT_OID = 25;
const JSON_OID = 114;
const HEADER_BYTES = 20;

const binaryArray = (elementOid: number, items: readonly string[]): Buffer => {
  let size = HEADER_BYTES;
  for (const item of items) size += 4 + Buffer.byteLength(item);
  const buffer = Buffer.allocUnsafe(size);
  buffer.writeInt32BE(1, 0); // dimensions
  buffer.writeInt32BE(0, 4); // no nulls
  buffer.writeInt32BE(elementOid, 8);
  buffer.writeInt32BE(items.length, 12);
  buffer.writeInt32BE(1, 16); // lower bound
  let offset = HEADER_BYTES;
  for (const item of items) {
    const length = buffer.write(item, offset + 4);
    buffer.writeInt32BE(length, offset);
    offset += 4 + length;
  }
  return buffer;
};

export const textArray = (items: readonly string[]): Buffer => binaryArray(TEXT_OID, items);
export const jsonArray = (items: readonly string[]): Buffer => binaryArray(JSON_OID, items);
