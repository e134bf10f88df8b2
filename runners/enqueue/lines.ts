/** Lines of a stream of bytes, in bounded memory. Bytes that are not UTF-8 are refused, not replaced. */
import { isUtf8 } from 'node:buffer';
import * as E from 'fp-ts/lib/Either.js';

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without its end; or what is wrong with it. */
  readonly text: E.Either<string, string>;
}

/** A job's params have at most 64 KiB; escapes in its text may take six times that. */
const LONGEST = 1024 * 1024;
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

interface Piece {
  readonly chunks: Buffer[];
  bytes: number;
}

const lineOf = (number: number, { chunks, bytes }: Piece, longest: number): Line => {
  if (bytes > longest) return { number, text: E.left(`has ${bytes} bytes, at most ${longest} are allowed`) };
  const whole = Buffer.concat(chunks);
  if (!isUtf8(whole)) return { number, text: E.left('is not UTF-8') };
  const text = whole.toString();
  return { number, text: E.right(number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text) };
};

const add = (piece: Piece, bytes: Buffer, longest: number): void => {
  piece.bytes += bytes.length;
  if (piece.bytes <= longest) piece.chunks.push(bytes);
  else piece.chunks.length = 0;
};

/** A last line without its newline counts; an empty last one does not. */
export async function* linesOf(source: AsyncIterable<Buffer>, longest = LONGEST): AsyncGenerator<Line> {
  let number = 1;
  let piece: Piece = { chunks: [], bytes: 0 };
  for await (const chunk of source) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      add(piece, chunk.subarray(from, end), longest);
      yield lineOf(number, piece, longest);
      number += 1;
      piece = { chunks: [], bytes: 0 };
      from = end + 1;
    }
    add(piece, chunk.subarray(from), longest);
  }
  if (piece.bytes > 0) yield lineOf(number, piece, longest);
}
