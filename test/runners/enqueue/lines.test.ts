import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { linesOf } from '../../../runners/enqueue/lines.js';

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const lines = async (text: string | Buffer, pieceLength = 3): Promise<readonly string[]> => {
  const read: string[] = [];
  for await (const { number, text: line } of linesOf(inPieces(Buffer.from(text), pieceLength))) {
    read.push(`${number} ${E.isRight(line) ? line.right : `! ${line.left}`}`);
  }
  return read;
};

describe('linesOf', () => {
  it('gives every line with its number, the last one with or without its end', async () => {
    expect(await lines('a\n\nü😀b\n')).to.deep.equal(['1 a', '2 ', '3 ü😀b']);
    expect(await lines('a\nb')).to.deep.equal(['1 a', '2 b']);
    expect(await lines('')).to.deep.equal([]);
  });

  it('leaves out a byte order mark', async () => {
    expect(await lines('\ufeffa\nb\n')).to.deep.equal(['1 a', '2 b']);
  });

  it('refuses a line that is not UTF-8 and goes on behind it', async () => {
    expect(await lines(Buffer.from('610aff0a62', 'hex'))).to.deep.equal(['1 a', '2 ! is not UTF-8', '3 b']);
  });

  it('refuses a line too long to be a job, without keeping it, and goes on behind it', async () => {
    const long = 'x'.repeat(3_000_000);
    expect(await lines(`a\n${long}\nb\n`, 65_536)).to.deep.equal([
      '1 a',
      '2 ! has 3000000 bytes, at most 1048576 are allowed',
      '3 b',
    ]);
  });
});
