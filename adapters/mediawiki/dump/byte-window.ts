/**
 * A window over a stream of bytes: what was read and not yet used, and the line at its beginning. The functions that look
 * for an end are plain functions of a buffer; when they do not find it, the window doubles, so that a row of any size
 * is looked through at most twice over.
 */
import { dumpBytes } from './dump-bytes.js';

export interface ByteWindow {
  readonly path: string;
  readonly chunks: AsyncIterator<Buffer>;
  bytes: Buffer;
  at: number;
  line: number;
  /** Where in `bytes` the next newline is, Infinity where there is none: lines of megabytes are searched once. */
  newline: number;
  /** What the source failed with; the window then ends as if the file did. */
  fault: unknown;
}

/** The largest params (16 MiB) in the widest notation (two characters a byte), and as much again. */
export const LONGEST_ROW = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

export const openWindow = (path: string, pieceLength: number): ByteWindow => ({
  path,
  chunks: dumpBytes(path, pieceLength),
  bytes: Buffer.alloc(0),
  at: 0,
  line: 1,
  newline: Number.POSITIVE_INFINITY,
  fault: undefined,
});

export const unread = (window: ByteWindow): number => window.bytes.length - window.at;

const newlineFrom = (bytes: Buffer, at: number): number => {
  const newline = bytes.indexOf(NEWLINE, at);
  return newline < 0 ? Number.POSITIVE_INFINITY : newline;
};

const nextChunk = async (window: ByteWindow): Promise<Buffer | undefined> => {
  if (window.fault !== undefined) return undefined;
  try {
    const next = await window.chunks.next();
    return next.done === true ? undefined : next.value;
  } catch (error) {
    window.fault = error;
    return undefined;
  }
};

/** Reads on until there is at least twice as much; false where there is nothing more. Offsets into `bytes` change. */
export const more = async (window: ByteWindow): Promise<boolean> => {
  const parts = [window.bytes.subarray(window.at)];
  const wanted = 2 * unread(window);
  let size = unread(window);
  do {
    const chunk = await nextChunk(window);
    if (chunk === undefined) break;
    parts.push(chunk);
    size += chunk.length;
  } while (size < wanted);
  if (parts.length === 1) return false;
  window.bytes = Buffer.concat(parts);
  window.at = 0;
  window.newline = newlineFrom(window.bytes, 0);
  return true;
};

/** Reads on until `length` bytes are there to look at, or the file has ended. */
export const lookAhead = async (window: ByteWindow, length: number): Promise<void> => {
  while (unread(window) < length && (await more(window)));
};

/** Goes on to `at`, counting the lines passed. */
export const moveTo = (window: ByteWindow, at: number): void => {
  while (window.newline < at) {
    window.line += 1;
    window.newline = newlineFrom(window.bytes, window.newline + 1);
  }
  window.at = at;
};

export type Whole =
  { readonly _tag: 'End'; readonly end: number } | { readonly _tag: 'Cut' } | { readonly _tag: 'TooLong' };

/** Reads until `find` sees the end of what begins here. */
export const whole = async (
  window: ByteWindow,
  find: (bytes: Buffer, at: number) => number | undefined,
): Promise<Whole> => {
  for (;;) {
    const end = find(window.bytes, window.at);
    if (end !== undefined) return { _tag: 'End', end };
    if (unread(window) > LONGEST_ROW) return { _tag: 'TooLong' };
    if (!(await more(window))) return { _tag: 'Cut' };
  }
};

/** Behind the next newline. */
export const lineEnd = (bytes: Buffer, at: number): number | undefined => {
  const newline = bytes.indexOf(NEWLINE, at);
  return newline < 0 ? undefined : newline + 1;
};
