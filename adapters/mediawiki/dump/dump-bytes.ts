/** The bytes of a file, decompressed where they are gzip. Works on what can only be read once, such as a named pipe. */
import { createReadStream } from 'node:fs';
import { Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

async function* behind(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

const firstBytes = async (chunks: AsyncIterator<Buffer>): Promise<Buffer> => {
  let first = Buffer.alloc(0);
  while (first.length < 2) {
    const next = await chunks.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
  }
  return first;
};

export async function* dumpBytes(path: string, pieceLength: number): AsyncGenerator<Buffer> {
  const file: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: pieceLength });
  const chunks = file[Symbol.asyncIterator]();
  const first = await firstBytes(chunks);
  const all = behind(first, chunks);
  if (first[0] !== 0x1f || first[1] !== 0x8b) return yield* all;
  const plain = createGunzip({ chunkSize: Math.max(64, pieceLength) });
  // The error, if any, also comes out of the loop over `plain`.
  pipeline(Readable.from(all), plain, () => undefined);
  const decompressed: AsyncIterable<Buffer> = plain;
  yield* decompressed;
}
